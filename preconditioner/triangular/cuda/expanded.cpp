#include "stiefel/preconditioner/triangular/cuda/triangle_terms.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <numeric>
#include <utility>

namespace stiefel::triangular {

namespace {

template <class T>
DeviceCsr<T> identity(Cuda& backend, Index n) {
    HostCsr<T> one{.n_rows = n, .n_cols = n};
    one.col_idx = HostVector<Index>(n);
    std::iota(one.col_idx.begin(), one.col_idx.end(), 0);
    one.values = HostVector<T>(n, T{1});
    HostVector<Index> offsets(Size{n} + 1);
    std::iota(offsets.begin(), offsets.end(), 0);
    one.row_ptr = RowOffsets<HostMemory>(std::move(offsets));
    return stiefel::to_device(backend, one);
}

template <class T>
T sign(int power) {
    return power % 2 == 0 ? T{1} : T{-1};
}

}  // namespace

template <class T>
TriangleTerms<T> expanded(Cuda& backend, const LevelTriangle<T>& a, const HostVector<T>& inverse, Side side,
                          const Expansion& expansion) {
    const int p = expansion.levels();
    TriangleTerms<T> terms{.order = merged_levels(a, side, p)};
    auto &early = terms.early, &late = terms.late;
    early.push_back({identity<T>(backend, a.n_rows()), T{1}});
    if (expansion.inverts_blocks) {
        const SplitByBlocks<T> n = split_by_blocks(a, inverse, p);
        early.push_back({stiefel::to_device(backend, n.within), T{-1}});
        late.push_back({stiefel::to_device(backend, n.between), T{1}});
        for (int q = 1; q < p; ++q) {
            if (q > 1) early.push_back({spgemm(backend, early[1].matrix, early.back().matrix), sign<T>(q)});
            late.push_back({spgemm(backend, early[1].matrix, late.back().matrix), sign<T>(q)});
        }
        return terms;
    }
    early.push_back({stiefel::to_device(backend, scaled_rows(a, inverse)), T{-1}});
    const auto power = [&](int q) {
        const auto half = static_cast<std::size_t>(q / 2);
        return spgemm(backend, early[half].matrix, early[static_cast<std::size_t>(q) - half].matrix);
    };
    for (int q = 2; q < p; ++q) early.push_back({power(q), sign<T>(q)});
    late.push_back({power(p), T{-1}});
    return terms;
}

template TriangleTerms<double> expanded(Cuda&, const LevelTriangle<double>&, const HostVector<double>&, Side,
                                        const Expansion&);
template TriangleTerms<float> expanded(Cuda&, const LevelTriangle<float>&, const HostVector<float>&, Side,
                                       const Expansion&);

}  // namespace stiefel::triangular
