#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <string_view>
#include <utility>

namespace stiefel {

/// Jacobi: M = diag(A)^-1, kept as a vector. CG applies it inside its own vector kernels; it costs no pass of its own.
template <class T, class Memory>
struct Jacobi {
    static constexpr const char* name = "jacobi";
    Vector<T, Memory> inverse_diagonal;
    Size bytes() const { return inverse_diagonal.bytes(); }
};

template <class T>
using HostJacobi = Jacobi<T, HostMemory>;
template <class T>
using DeviceJacobi = Jacobi<T, DeviceMemory>;

/// The inverse of A's diagonal, in n log(nnz / n) steps. Throws InvalidArgument naming the row if an entry is missing,
/// zero, negative or not finite: no such matrix is positive definite.
template <class T>
HostJacobi<T> make_jacobi(Serial&, const HostCsr<T>& a);
template <class T>
HostJacobi<T> make_jacobi(OpenMP&, const HostCsr<T>& a);
template <class T>
DeviceJacobi<T> make_jacobi(Cuda&, const DeviceCsr<T>& a);

/// As it stands in preconditioner/list.hpp.
struct ListedJacobi {
    static constexpr std::string_view name = "jacobi";
    static constexpr std::string_view description = "scales by the diagonal, at the cost of two more reads of a vector";
    static constexpr std::string_view source = "Jacobi 1845; van der Sluis 1969";

    template <class B, class T>
    static auto prepare(B& on, const Csr<T, typename B::memory>& csr) {
        return [m = make_jacobi(on, csr)](B&, const auto&, Index) mutable { return std::move(m); };
    }
};

}  // namespace stiefel
