#pragma once

#include "stiefel/core/backend.hpp"
#include "stiefel/core/transfer.hpp"
#include "support/matrices.hpp"

namespace stiefel::test {

/// A copy of what is on the host, where the backend computes.
template <class B, class T>
Csr<T, typename B::memory> brought(B& backend, const HostCsr<T>& host) {
    if constexpr (HostBackend<B>) {
        return cloned(host);
    } else {
        return to_device(backend, host);
    }
}
template <class B, class T>
VectorOf<B, T> brought(B& backend, const HostVector<T>& host) {
    auto v = make_vector<T>(backend, host.size());
    upload(backend, host, v);
    return v;
}

}  // namespace stiefel::test
