#pragma once

#include "stiefel/core/linear_operator.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/core/work.hpp"
#include "stiefel/preconditioner/details.hpp"
#include "stiefel/preconditioner/fsai/options.hpp"
#include "stiefel/preconditioner/sparse_factors.hpp"
#include "stiefel/spmv/operator.hpp"

#include <string_view>
#include <utility>

namespace stiefel {

namespace fsai {

/// G D^-1/2 and its transpose as a backend multiplies with them, and what there is to tell of them.
template <class B, class T>
struct Products {
    SpmvOperator<B, T> lower, upper;
    PreconditionerDetails about = {};  ///< but for bytes
};

template <HostBackend B, class T>
Products<B, T> make_products(B& backend, const HostCsr<T>& a, const Options& options);
template <class T>
Products<Cuda, T> make_products(Cuda& backend, const DeviceCsr<T>& a, const Options& options);

}  // namespace fsai

/// Factorised sparse approximate inverse (Kolotilina and Yeremin 1993): M = G' G with a sparse lower triangular G that
/// minimises the Frobenius norm of I - G L on its pattern, L L' = A, without knowing L. Set up row by row where A lies,
/// in double precision; an application is two sparse products, in T: what single precision saves of vectors in double
/// it costs in iterations where A is ill-conditioned (docs/performance/time_to_solution.md).
template <class B, class T>
class Fsai {
public:
    static constexpr const char* name = "fsai";
    static constexpr Size vectors_per_column = 1;

    /// a: n x n, symmetric; not kept. columns: the most that it will be applied to at once. Throws InvalidArgument
    /// naming the row where the diagonal is not positive and finite, and OutOfMemory before G is computed where it has
    /// no room.
    Fsai(B& backend, const Csr<T, typename B::memory>& a, const fsai::Options& options = {}, Index columns = 1)
        : products_(fsai::make_products(backend, a, options)) {
        reserve(backend, columns);
    }

    /// To be called before it is applied to panels of more columns.
    void reserve(B& backend, Index columns) {
        if (columns > columns_) middle_ = make_vector<T>(backend, Size{products_.lower.n_rows()} * columns);
        columns_ = std::max(columns_, columns);
    }

    SparseFactors<B, T> sparse_factors() const { return {&products_.lower, &products_.upper}; }

    Size bytes() const { return products_.lower.bytes() + products_.upper.bytes() + middle_.bytes(); }

    PreconditionerDetails details() const {
        PreconditionerDetails details = products_.about;
        details.bytes = bytes();
        return details;
    }

    /// Of one application to a panel of so many columns.
    Work work(Index columns) const {
        const auto of = [&](const auto& product) {
            return columns == 1 ? spmv_work(product) : spmm_work(product, columns);
        };
        const Work lower = of(products_.lower), upper = of(products_.upper);
        return {lower.bytes + upper.bytes, lower.flops + upper.flops};
    }

    /// Z = M R
    friend void precondition(B& backend, const Fsai& m, MatrixOf<B, const T> r, MatrixOf<B, T> z) {
        const Index k = r.n_cols;
        require(k <= m.columns_, "fsai: the panel has more columns than the preconditioner was made for");
        const MatrixOf<B, T> middle{m.middle_.data(), r.n_rows, k, k};
        if (k == 1 && r.ld == 1 && z.ld == 1) {
            m.products_.lower.run(backend, {.x = r.data, .y = middle.data});
            m.products_.upper.run(backend, {.x = middle.data, .y = z.data});
        } else {
            spmm(backend, m.products_.lower, r, middle);
            spmm(backend, m.products_.upper, middle, z);
        }
    }

private:
    fsai::Products<B, T> products_;
    mutable VectorOf<B, T> middle_;  // G R
    Index columns_ = 0;
};

/// As it stands in preconditioner/list.hpp.
struct ListedFsai {
    static constexpr std::string_view name = "fsai";
    static constexpr std::string_view description =
        "factorised sparse approximate inverse: a half to a tenth of the iterations, each with two sparse products "
        "more";
    static constexpr std::string_view source = "Kolotilina and Yeremin 1993; Chow 2000";

    template <class B, class T>
    static auto prepare(B& on, const Csr<T, typename B::memory>& csr, const fsai::Options& options) {
        return [m = Fsai<B, T>(on, csr, options)](B& backend, const auto&, Index columns) mutable {
            m.reserve(backend, columns);
            return std::move(m);
        };
    }
};

}  // namespace stiefel
