#pragma once

#include "stiefel/core/backend.hpp"
#include "stiefel/spmv/formats.hpp"
#include "stiefel/spmv/spmm.hpp"
#include "stiefel/spmv/spmv.hpp"
#include "stiefel/spmv/spmv_work.hpp"

#include <utility>
#include <variant>

namespace stiefel {

/// A matrix in one of AllFormats, chosen at run time, with one of the kernels listed for it: what solvers are handed
/// where format and kernel come from the command line or from a measurement. Owns the matrix. The choice costs one
/// branch a call.
template <class B, class T>
class SpmvOperator {
public:
    using Memory = typename B::memory;

    template <class Matrix>
    SpmvOperator(Matrix a, const SpmvKernel<B, Matrix>& kernel) : bound_(Bound<Matrix>{std::move(a), &kernel}) {}

    Index n_rows() const {
        return visit([](const auto& a, const auto&) { return a.n_rows; });
    }
    Index n_cols() const {
        return visit([](const auto& a, const auto&) { return a.n_cols; });
    }
    Size nnz() const {
        return visit([](const auto& a, const auto&) { return a.nnz(); });
    }
    /// Of the matrix, padding included.
    Size bytes() const {
        return visit([](const auto& a, const auto&) { return a.bytes(); });
    }
    std::string_view format() const {
        return visit([](const auto&, const auto& kernel) { return kernel.format; });
    }
    std::string_view kernel() const {
        return visit([](const auto&, const auto& listed) { return listed.name; });
    }

    /// y = alpha A x + beta y, and the dot product if asked for; sizes are the caller's to check.
    void run(B& backend, const SpmvArguments<T>& arguments) const {
        visit([&](const auto& a, const auto& kernel) { kernel.run(backend, a, arguments); });
    }

    /// The matrix, if it is in this format.
    template <class Matrix>
    const Matrix* in_format() const {
        const auto* const bound = std::get_if<Bound<Matrix>>(&bound_);
        return bound != nullptr ? &bound->a : nullptr;
    }

    /// f(matrix, kernel) with both in their own types.
    template <class F>
    decltype(auto) visit(F&& f) const {
        return std::visit([&](const auto& bound) -> decltype(auto) { return f(bound.a, *bound.kernel); }, bound_);
    }

private:
    template <class Matrix>
    struct Bound {
        Matrix a;
        const SpmvKernel<B, Matrix>* kernel;
    };

    AllFormats::template Variant<Bound, T, Memory> bound_;
};

template <class B, class T>
void spmv(B& backend, const SpmvOperator<B, T>& a, const VectorOf<B, T>& x, VectorOf<B, T>& y,
          std::type_identity_t<T> alpha = 1, std::type_identity_t<T> beta = 0) {
    require(x.size() == a.n_cols(), "spmv: x must have as many elements as A has columns");
    require(y.size() == a.n_rows(), "spmv: y must have as many elements as A has rows");
    a.run(backend, {.x = x.data(), .y = y.data(), .alpha = alpha, .beta = beta});
}

template <class B, class T>
void spmv_dot(B& backend, const SpmvOperator<B, T>& a, const VectorOf<B, T>& x, VectorOf<B, T>& y, double* dot) {
    require(a.n_rows() == a.n_cols(), "spmv_dot: A must be square");
    require(x.size() == a.n_cols() && y.size() == a.n_rows(),
            "spmv_dot: x and y must have as many elements as A has rows");
    a.run(backend, {.x = x.data(), .y = y.data(), .dot = dot});
}

/// Y = alpha A X + beta Y with the default rung of the format that was chosen. Throws as spmm() of a matrix.
template <class B, class T>
void spmm(B& backend, const SpmvOperator<B, T>& a, MatrixOf<B, const std::type_identity_t<T>> x,
          MatrixOf<B, std::type_identity_t<T>> y, std::type_identity_t<T> alpha = 1, std::type_identity_t<T> beta = 0) {
    a.visit([&](const auto& matrix, const auto&) { spmm(backend, matrix, x, y, alpha, beta); });
}

template <class B, class T>
Work spmv_work(const SpmvOperator<B, T>& a) {
    return a.visit([](const auto& matrix, const auto&) { return spmv_work(matrix); });
}

template <class B, class T>
Work spmm_work(const SpmvOperator<B, T>& a, Index k) {
    return a.visit([&](const auto& matrix, const auto&) { return spmm_work(matrix, k); });
}

}  // namespace stiefel
