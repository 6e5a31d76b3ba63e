#include "stiefel/preconditioner/jacobi.hpp"

#include "stiefel/core/transfer.hpp"
#include "stiefel/preconditioner/host_diagonal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiefel {

namespace {

template <class T, class B>
HostJacobi<T> invert_diagonal(B& backend, const HostCsr<T>& a) {
    require(a.n_rows == a.n_cols, "jacobi: A must be square");
    HostJacobi<T> jacobi{make_vector<T>(backend, a.n_rows)};
    constexpr Index none = std::numeric_limits<Index>::max();
    a.row_ptr.visit([&](const auto* row_ptr) {
        Index first_bad = none;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) reduction(min : first_bad)
        for (Index i = 0; i < a.n_rows; ++i) {
            const T diagonal = diagonal_entry(a, row_ptr, i);
            const T inverse = T{1} / diagonal;
            jacobi.inverse_diagonal[i] = inverse;
            if (!(inverse > 0) || !std::isfinite(inverse)) first_bad = std::min(first_bad, i);
        }
        if (first_bad != none) {
            refuse_diagonal(first_bad, static_cast<double>(diagonal_entry(a, row_ptr, first_bad)));
        }
    });
    return jacobi;
}

}  // namespace

void refuse_diagonal(Size row, double diagonal) {
    throw InvalidArgument(
        fmt::format("diagonal entry ({0}, {0}) is {1}, but every diagonal entry of a positive definite "
                    "matrix is positive and finite (rows count from 1)",
                    row + 1, diagonal));
}

template <class T>
HostJacobi<T> make_jacobi(Serial& backend, const HostCsr<T>& a) {
    return invert_diagonal(backend, a);
}

template <class T>
HostJacobi<T> make_jacobi(OpenMP& backend, const HostCsr<T>& a) {
    return invert_diagonal(backend, a);
}

template HostJacobi<double> make_jacobi(Serial&, const HostCsr<double>&);
template HostJacobi<float> make_jacobi(Serial&, const HostCsr<float>&);
template HostJacobi<double> make_jacobi(OpenMP&, const HostCsr<double>&);
template HostJacobi<float> make_jacobi(OpenMP&, const HostCsr<float>&);

}  // namespace stiefel
