#pragma once

#include "stiefel/core/linear_operator.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/core/work.hpp"
#include "stiefel/preconditioner/block_jacobi/options.hpp"
#include "stiefel/preconditioner/details.hpp"
#include "stiefel/preconditioner/sparse_factors.hpp"
#include "stiefel/spmv/operator.hpp"

#include <string_view>
#include <utility>

namespace stiefel {

namespace block_jacobi {

/// M as a backend multiplies with it, and what there is to tell of it.
template <class B, class T>
struct Product {
    SpmvOperator<B, T> m;
    PreconditionerDetails about = {};  ///< but for bytes
};

template <HostBackend B, class T>
Product<B, T> make_product(B& backend, const HostCsr<T>& a, const Options& options);
template <class T>
Product<Cuda, T> make_product(Cuda& backend, const DeviceCsr<T>& a, const Options& options);

}  // namespace block_jacobi

/// Block Jacobi: M = blockdiag(A)^-1 for blocks of consecutive rows, given or found in A's pattern (blocks.hpp). Blocks
/// are inverted in double precision by Cholesky factorisations where A lies; M is a sparse matrix, and an application
/// one product with it in T. Rows of a block that is not positive definite to the precision of A are left to Jacobi.
template <class B, class T>
class BlockJacobi {
public:
    static constexpr const char* name = "block-jacobi";

    /// a: n x n, symmetric; not kept. Throws InvalidArgument naming the row where the diagonal is not positive and
    /// finite, and OutOfMemory before blocks are inverted where these have no room.
    explicit BlockJacobi(B& backend, const Csr<T, typename B::memory>& a, const block_jacobi::Options& options = {})
        : product_(block_jacobi::make_product(backend, a, options)) {}

    SparseFactors<B, T> sparse_factors() const { return {&product_.m}; }

    Size bytes() const { return product_.m.bytes(); }

    PreconditionerDetails details() const {
        PreconditionerDetails details = product_.about;
        details.bytes = bytes();
        return details;
    }

    /// Of one application to a panel of so many columns.
    Work work(Index columns) const { return columns == 1 ? spmv_work(product_.m) : spmm_work(product_.m, columns); }

    /// Z = M R
    friend void precondition(B& backend, const BlockJacobi& m, MatrixOf<B, const T> r, MatrixOf<B, T> z) {
        if (r.n_cols == 1 && r.ld == 1 && z.ld == 1) {
            m.product_.m.run(backend, {.x = r.data, .y = z.data});
        } else {
            spmm(backend, m.product_.m, r, z);
        }
    }

private:
    block_jacobi::Product<B, T> product_;
};

/// As it stands in preconditioner/list.hpp.
struct ListedBlockJacobi {
    static constexpr std::string_view name = "block-jacobi";
    static constexpr std::string_view description =
        "inverts blocks of rows on the diagonal, the unknowns of a node or some neighbours: fewer iterations than "
        "jacobi, each with a sparse product more";
    static constexpr std::string_view source = "Chow and Scott 2016; Anzt, Dongarra, Flegar and Quintana-Orti 2019";

    template <class B, class T>
    static auto prepare(B& on, const Csr<T, typename B::memory>& csr, const block_jacobi::Options& options) {
        return [m = BlockJacobi<B, T>(on, csr, options)](B&, const auto&, Index) mutable { return std::move(m); };
    }
};

}  // namespace stiefel
