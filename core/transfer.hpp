#pragma once

#include "stiefel/core/backend.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"

#include <concepts>

namespace stiefel {

/// Backends whose kernels work in host memory.
template <class B>
concept HostBackend = std::same_as<typename B::memory, HostMemory>;

// Every vector of a backend is made by it and every copy goes through it: on CUDA both are ordered by its stream, and
// on a machine with several memories OpenMP's vectors are spread over the threads that will work on them.

/// n elements, values unspecified.
template <class T>
HostVector<T> make_vector(Serial&, Size n) {
    return HostVector<T>(n);
}

/// n elements, all T{}: the pages are placed by the threads that kernels with static shares will use.
template <class T>
HostVector<T> make_vector(OpenMP& backend, Size n) {
    HostVector<T> v(n);
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (n > 100000)
    for (Size i = 0; i < n; ++i) v[i] = T{};
    return v;
}

/// A vector over n elements that someone else owns, in the backend's memory: see Vector::lent.
template <HostBackend B, class T>
HostVector<T> lent_vector(B&, T* data, Size n, KeepAlive keep_alive = {}) {
    return HostVector<T>::lent(data, n, std::move(keep_alive));
}
template <HostBackend B, class T>
const HostVector<T> lent_vector(B&, const T* data, Size n, KeepAlive keep_alive = {}) {
    return HostVector<T>::lent(data, n, std::move(keep_alive));
}

/// to = from, across memories. Throws InvalidArgument unless the sizes agree.
template <HostBackend B, class T>
void upload(B&, const HostVector<T>& from, HostVector<T>& to) {
    require(from.size() == to.size(), "upload: the vectors differ in size");
    std::copy_n(from.data(), from.size(), to.data());
}

template <HostBackend B, class T>
void download(B&, const HostVector<T>& from, HostVector<T>& to) {
    require(from.size() == to.size(), "download: the vectors differ in size");
    std::copy_n(from.data(), from.size(), to.data());
}

/// One value into the backend's memory, and back (which waits for the work enqueued before it).
template <HostBackend B, class T>
void store(B&, const T& value, HostVector<T>& to) {
    to[0] = value;
}

template <HostBackend B, class T>
T load(B&, const HostVector<T>& from) {
    return from[0];
}

/// Bytes that a backend's memory can hold: what a device has free, what a host has in all (it frees what it caches).
template <HostBackend B>
Size available_bytes(const B&) {
    return physical_memory();
}
inline Size available_bytes(const Cuda& backend) {
    return backend.free_bytes();
}

}  // namespace stiefel
