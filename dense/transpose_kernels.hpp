#pragma once

#include "stiefel/dense/transpose.hpp"

#include <span>
#include <string_view>

namespace stiefel {

/// One rung of the ladder: B = A' for checked arguments, A m x n.
template <class Backend, class T>
struct TransposeKernel {
    using Memory = typename Backend::memory;

    std::string_view name;
    std::string_view description;  ///< one line: what this rung changes
    std::string_view source;       ///< where the method comes from; empty if it has no paper
    void (*run)(Backend&, const MatrixView<const T, Memory>& a, const MatrixView<T, Memory>& b);
};

/// The rungs in the order of the ladder; the last is the default.
template <class T>
std::span<const TransposeKernel<Serial, T>> transpose_kernels(const Serial&);
template <class T>
std::span<const TransposeKernel<OpenMP, T>> transpose_kernels(const OpenMP&);
template <class T>
std::span<const TransposeKernel<Cuda, T>> transpose_kernels(const Cuda&);

/// Checks as transpose() documents.
template <class T, class Memory>
void check_transpose(const MatrixView<const T, Memory>& a, const MatrixView<T, Memory>& b);

/// All that a backend has for transposes of one type. Naming it compiles it: a backend's file ends with
/// `template struct Transposes<Backend, double>` and the same for float.
template <class B, class T>
struct Transposes {
    template <class U>
    using M = MatrixView<U, typename B::memory>;
    static constexpr std::span<const TransposeKernel<B, T>> (*kernels)(const B&) = transpose_kernels<T>;
    static constexpr void (*transposes)(B&, M<const T>, M<T>) = transpose<T>;
    static constexpr void (*in_place)(B&, M<T>) = transpose_in_place<T>;
};

}  // namespace stiefel
