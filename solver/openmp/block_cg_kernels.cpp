#include "stiefel/solver/block_cg_kernels.hpp"
#include "stiefel/core/blocks.hpp"
#include "stiefel/preconditioner/pointwise.hpp"
#include "stiefel/solver/block_cg_decide.hpp"
#include "stiefel/solver/openmp/register_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stiefel {

namespace {

/// Rows between two passes over them: they stay in the first-level cache.
template <int K>
constexpr Index cached_rows = std::min(64, 2048 / K);

/// How far ahead of their use the rows of a panel are asked for.
constexpr Size fetched_bytes = 4096;

/// Asks for as many elements as are at hand, further on.
template <int count, class T>
[[gnu::always_inline]] inline void fetch(const T* row) {
    const char* const from = reinterpret_cast<const char*>(row) + fetched_bytes;
#pragma GCC unroll 32
    for (int byte = 0; byte < count * static_cast<int>(sizeof(T)); byte += 64) __builtin_prefetch(from + byte);
}

/// Most partial sums of a Gram matrix.
constexpr Size max_chunks = 256;

/// f(K, k) with the smallest width K that holds k columns: what is written once for all is compiled for its length.
template <class F>
void with_width(Index k, bool packed, F&& f) {
    const auto take = [&]<int K>(std::integral_constant<int, K> width) {
        packed&& k == K ? f(width, Whole<K>()) : f(width, k);
    };
    if (k <= 4) return take(std::integral_constant<int, 4>{});
    if (k <= 8) return take(std::integral_constant<int, 8>{});
    if (k <= 16) return take(std::integral_constant<int, 16>{});
    if (k <= 24) return take(std::integral_constant<int, 24>{});
    if (k <= 32) return take(std::integral_constant<int, 32>{});
    take(std::integral_constant<int, 64>{});
}

/// Room for some rows of a panel as doubles.
template <int K>
struct alignas(64) Room {
    double elements[cached_rows<K> * K];
};

/// At most cached_rows rows of W = W z - s A S xi, and what they add to W' W and W' D W, both K x K.
template <int K, class Count, class Scale, class T>
void residual_rows(Scale scale, const HostMatrix<const T>& as, const HostMatrix<T>& w, Count k, const Widened<K>& z,
                   const Widened<K>& minus_xi, Size begin, Size end, double* gram, double* weighted) {
    Room<K> as_room, w_room;
    double weights[cached_rows<K>];
    const auto as_rows = as_operand<K>(as, k, begin, end, as_room.elements);
    const auto old_rows = as_operand<K>(w, k, begin, end, w_room.elements);
    for_each_group<K>(begin, end, [&]<int rows>(Size row, std::integral_constant<int, rows>) {
        fetch<rows * K>(as.data + row * as.ld);
        RegisterRows<K, rows> sums;
        sums.add_product(as_rows, row - begin, minus_xi, k);
        if constexpr (!Scale::is_identity) {
            sums.scale([&](int r) {
                const double inverse = static_cast<double>(scale(row + r, T{1}));
                weights[row - begin + r] = 1 / inverse;
                return std::sqrt(inverse);
            });
        }
        sums.add_product(old_rows, row - begin, z, k);
        sums.store(w.data + row * w.ld, w.ld, k);
    });
    const double* const new_rows = as_doubles<K>(w, k, begin, end, w_room.elements);
    const auto n_rows = static_cast<Index>(end - begin);
    // W is asked for here and A S above, so that memory is never idle.
    add_gram<K>(new_rows, n_rows, Unweighted(), gram, [&](Index r) { fetch<K>(w.data + (begin + r) * w.ld); });
    if constexpr (!Scale::is_identity) {
        add_gram<K>(
            new_rows, n_rows, [&](Index r) { return weights[r]; }, weighted, [](Index) {});
    }
}

/// At most cached_rows rows of X += S step  and  S = s W z + S zeta'.
template <int K, class Count, class Scale, class T>
void direction_rows(Scale scale, const HostMatrix<const T>& w, const HostMatrix<T>& s, const HostMatrix<T>& x, Count k,
                    const Widened<K>& step, const Widened<K>& z, const Widened<K>& zeta_transposed, Size begin,
                    Size end) {
    Room<K> w_room, s_room, x_room;
    const auto w_rows = as_operand<K>(w, k, begin, end, w_room.elements);
    const auto s_rows = as_operand<K>(s, k, begin, end, s_room.elements);
    const double* const x_rows = as_doubles<K>(x, k, begin, end, x_room.elements);
    for_each_group<K>(begin, end, [&]<int rows>(Size row, std::integral_constant<int, rows>) {
        fetch<rows * K>(w.data + row * w.ld);
        fetch<rows * K>(s.data + row * s.ld);
        fetch<rows * K>(x.data + row * x.ld);
        RegisterRows<K, rows> x_sums;
        x_sums.load(x_rows + (row - begin) * K);
        x_sums.add_product(s_rows, row - begin, step, k);
        x_sums.store(x.data + row * x.ld, x.ld, k);
        RegisterRows<K, rows> s_sums;
        s_sums.add_product(w_rows, row - begin, z, k);
        if constexpr (!Scale::is_identity) {
            s_sums.scale([&](int r) { return std::sqrt(static_cast<double>(scale(row + r, T{1}))); });
        }
        s_sums.add_product(s_rows, row - begin, zeta_transposed, k);
        s_sums.store(s.data + row * s.ld, s.ld, k);
    });
}

/// Chunks of rows that leave one partial sum each; they depend on n alone.
Size rows_of_chunk(Size n) {
    const Size blocks = (n + reduction_block - 1) / reduction_block;
    return std::max<Size>(1, (blocks + max_chunks - 1) / max_chunks) * reduction_block;
}

}  // namespace

template <class T>
void block_cg_step(OpenMP&, const BlockCgMatrices& small, CgState* state) {
    if (state->reason != StopReason::running) return;
    block_cg_solve_step(HostTeam{}, small, std::numeric_limits<T>::epsilon(), state);
}

template <class M, class T>
void block_cg_residual(OpenMP& backend, const M& m, HostMatrix<const T> as, HostMatrix<T> w,
                       const BlockCgMatrices& small, const CgState* state) {
    if (state->reason != StopReason::running) return;
    const auto scale = pointwise<T>(m);
    const Size chunk_rows = rows_of_chunk(w.n_rows);
    const Size n_chunks = (w.n_rows + chunk_rows - 1) / chunk_rows;
    const bool packed = as.ld == small.k && w.ld == small.k;
    with_width(small.k, packed, [&](auto K, auto k) {
        constexpr Size size = Size{K} * K;
        double* const partials = backend.partials(2 * n_chunks * size);
        const Widened<K> z(small.k, small.z);
        const Widened<K> minus_xi(small.k, small.xi, false, -1);
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (n_chunks > 1)
        for (Size chunk = 0; chunk < n_chunks; ++chunk) {
            double* const gram = partials + 2 * chunk * size;
            std::fill_n(gram, 2 * size, 0.0);
            const Size end = std::min<Size>((chunk + 1) * chunk_rows, w.n_rows);
            for (Size begin = chunk * chunk_rows; begin < end; begin += cached_rows<K>) {
                residual_rows<K>(scale, as, w, k, z, minus_xi, begin, std::min<Size>(begin + cached_rows<K>, end), gram,
                                 gram + size);
            }
        }
        const auto gather = [&](Size which, double* to) {
            for (Size e = 0; e < Size{small.k} * small.k; ++e) {
                const Size element = e / small.k * K + e % small.k;
                to[e] =
                    pairwise_sum(n_chunks, [&](Size chunk) { return partials[(2 * chunk + which) * size + element]; });
            }
            all_sum(backend, to, Size{small.k} * small.k);
        };
        gather(0, small.gram);
        if (!scale.is_identity) gather(1, small.weighted);
    });
}

template <class T>
void block_cg_basis(OpenMP&, const BlockCgMatrices& small, bool start, CgState* state) {
    if (state->reason != StopReason::running) return;
    block_cg_orthonormalise(HostTeam{}, small, std::numeric_limits<T>::epsilon(), start, state);
}

template <class M, class T>
void block_cg_direction(OpenMP& backend, const M& m, HostMatrix<const T> w, HostMatrix<T> s, HostMatrix<T> x,
                        const BlockCgMatrices& small, const CgState* state) {
    if (state->reason != StopReason::running) return;
    const Size bytes = 5 * Size{w.n_rows} * small.k * static_cast<Size>(sizeof(T));
    const bool packed = w.ld == small.k && s.ld == small.k && x.ld == small.k;
    with_width(small.k, packed, [&](auto K, auto k) {
        const Widened<K> step(small.k, small.step);
        const Widened<K> z(small.k, small.z);
        const Widened<K> zeta_transposed(small.k, small.zeta, true);
        for_each_block(backend, w.n_rows, bytes, [&](Size first, Size last) {
            for (Size begin = first; begin < last; begin += cached_rows<K>) {
                direction_rows<K>(pointwise<T>(m), w, s, x, k, step, z, zeta_transposed, begin,
                                  std::min<Size>(begin + cached_rows<K>, last));
            }
        });
    });
}

template struct BlockCgKernels<OpenMP, double>;
template struct PointwiseBlockCgKernels<OpenMP, double, Identity>;
template struct PointwiseBlockCgKernels<OpenMP, double, HostJacobi<double>>;
template struct BlockCgKernels<OpenMP, float>;
template struct PointwiseBlockCgKernels<OpenMP, float, Identity>;
template struct PointwiseBlockCgKernels<OpenMP, float, HostJacobi<float>>;

}  // namespace stiefel
