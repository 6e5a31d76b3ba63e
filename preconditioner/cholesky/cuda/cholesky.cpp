#include "stiefel/preconditioner/cholesky/cholesky.hpp"

#include "stiefel/core/memory.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/preconditioner/triangular/triangle_shape.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <utility>
#include <vector>

namespace stiefel::cholesky {

namespace {

/// L of a factor, column after column, without the zeros that blocks hold beside it.
template <class T>
class EntriesOfFactor {
public:
    explicit EntriesOfFactor(const Factor<T>& factor) : n_(factor.symbolic().n) {
        const Symbolic& symbolic = factor.symbolic();
        require_room(symbolic.nonzeros);
        start_.reserve(static_cast<std::size_t>(n_) + 1);
        rows_.reserve(static_cast<std::size_t>(symbolic.nonzeros));
        values_.reserve(static_cast<std::size_t>(symbolic.nonzeros));
        start_.push_back(0);
        for (Index s = 0; s < symbolic.size(); ++s) {
            const Columns<T> block = factor.columns(s);
            const Index first = symbolic.first_column[s];
            const Index* const below = symbolic.rows.data() + symbolic.row_start[s];
            for (Index j = 0; j < block.width; ++j) {
                const T* const own = block.l1 + j * block.ld1;
                const T* const others = block.l2 + j * block.ld2;
                add(first + j, 1 / own[j]);
                for (Index i = j + 1; i < block.width; ++i) add(first + i, own[i]);
                for (Index i = 0; i < block.height; ++i) add(below[i], others[i]);
                start_.push_back(static_cast<Size>(rows_.size()));
            }
        }
    }

    triangular::LowerColumns<T> columns() const { return {n_, start_, rows_, values_}; }

private:
    /// For these, and the rows of both triangles.
    static void require_room(Size nonzeros) {
        const Size needed = 4 * nonzeros * static_cast<Size>(sizeof(T) + sizeof(Index));
        if (const Size available = available_memory(); needed > available) {
            throw OutOfMemory("the triangles of cholesky", needed, available);
        }
    }

    void add(Index row, T value) {
        if (value == 0) return;
        rows_.push_back(row);
        values_.push_back(value);
    }

    Index n_;
    std::vector<Size> start_;
    std::vector<Index> rows_;
    std::vector<T> values_;
};

}  // namespace

template <class T>
triangular::FactorSolve<Cuda, T> make_complete(Cuda& backend, const DeviceCsr<T>& a, const Analysis* analysis) {
    const Stopwatch all;
    auto [factor_of, about] = factor(to_host(backend, a), analysis, OpenMP().threads());
    Stopwatch step;
    const auto triangles = triangular::in_levels(EntriesOfFactor<T>(*factor_of).columns());
    const HostVector<Index> order = factor_of->symbolic().order.clone();
    factor_of.reset();
    const auto& kernel = triangular::fastest_kernel<T>(shape_of(triangles), triangular::applications_of_complete);
    triangular::DeviceSolve<T> solve(backend, to_device(backend, triangles, kernel.expansion, &order),
                                     triangles.nonzeros(), triangles.lower.n_levels(), kernel);
    backend.synchronize();
    about.setup.push_back({"levels", step.restart()});
    about.seconds = all.seconds();
    about.factorisation->level_sets = solve.n_levels();
    return {std::move(solve), std::move(about)};
}

template triangular::FactorSolve<Cuda, double> make_complete(Cuda&, const DeviceCsr<double>&, const Analysis*);
template triangular::FactorSolve<Cuda, float> make_complete(Cuda&, const DeviceCsr<float>&, const Analysis*);

}  // namespace stiefel::cholesky
