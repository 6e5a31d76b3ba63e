#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"

#include <array>

namespace stiefel {

/// Operations on vectors of equal length; InvalidArgument otherwise. Sums are accumulated in double.

/// y = x                                                                                            2 n T bytes
template <class T>
void copy(Serial&, const HostVector<T>& x, HostVector<T>& y);
template <class T>
void copy(OpenMP&, const HostVector<T>& x, HostVector<T>& y);
template <class T>
void copy(Cuda&, const DeviceVector<T>& x, DeviceVector<T>& y);

/// x = value                                                                                          n T bytes
template <class T>
void fill(Serial&, T value, HostVector<T>& x);
template <class T>
void fill(OpenMP&, T value, HostVector<T>& x);
template <class T>
void fill(Cuda&, T value, DeviceVector<T>& x);

/// x = 2^exponent x, exact unless an element leaves the range of T.                                 2 n T bytes
template <class T>
void scale(Serial&, int exponent, HostVector<T>& x);
template <class T>
void scale(OpenMP&, int exponent, HostVector<T>& x);
template <class T>
void scale(Cuda&, int exponent, DeviceVector<T>& x);

/// <x, y>, on the host: on CUDA this waits for the stream.                          2 n T bytes, 2 n flops
template <class T>
double dot(Serial&, const HostVector<T>& x, const HostVector<T>& y);
template <class T>
double dot(OpenMP&, const HostVector<T>& x, const HostVector<T>& y);
template <class T>
double dot(Cuda&, const DeviceVector<T>& x, const DeviceVector<T>& y);

/// The same into the backend's memory, where nobody waits for it.
template <class T>
void dot(Serial& backend, const HostVector<T>& x, const HostVector<T>& y, double* result) {
    *result = dot(backend, x, y);
}
template <class T>
void dot(OpenMP& backend, const HostVector<T>& x, const HostVector<T>& y, double* result) {
    *result = dot(backend, x, y);
}
template <class T>
void dot(Cuda&, const DeviceVector<T>& x, const DeviceVector<T>& y, double* result);

/// <x, x> and <y, y>, on the host; on CUDA the stream is waited for once.           2 n T bytes, 4 n flops
template <class T>
std::array<double, 2> squared_norms(Serial& backend, const HostVector<T>& x, const HostVector<T>& y) {
    return {dot(backend, x, x), dot(backend, y, y)};
}
template <class T>
std::array<double, 2> squared_norms(OpenMP& backend, const HostVector<T>& x, const HostVector<T>& y) {
    return {dot(backend, x, x), dot(backend, y, y)};
}
template <class T>
std::array<double, 2> squared_norms(Cuda&, const DeviceVector<T>& x, const DeviceVector<T>& y);

/// max |x_i|; NaN if any element is.                                                                  n T bytes
template <class T>
double max_abs(Serial&, const HostVector<T>& x);
template <class T>
double max_abs(OpenMP&, const HostVector<T>& x);
template <class T>
double max_abs(Cuda&, const DeviceVector<T>& x);

/// All of these for one backend and type. Naming them compiles them: the file of a backend of the host ends with
/// `template struct VectorOperations<Backend, double>` and the same for float.
template <class B, class T>
struct VectorOperations {
    using V = Vector<T, typename B::memory>;
    static constexpr void (*copies)(B&, const V&, V&) = copy;
    static constexpr void (*fills)(B&, T, V&) = fill;
    static constexpr void (*scales)(B&, int, V&) = scale;
    static constexpr double (*dots)(B&, const V&, const V&) = dot;
    static constexpr void (*dots_there)(B&, const V&, const V&, double*) = dot;
    static constexpr double (*maxima)(B&, const V&) = max_abs;
};

}  // namespace stiefel
