#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/transfer.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace stiefel::test {

/// Base of what needs a CUDA device; without one its tests show as skipped.
class OnCuda : public ::testing::Test {
protected:
    void SetUp() override {
        if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
        backend_ = std::make_unique<Cuda>();
    }

    Cuda& backend() { return *backend_; }

    template <class T>
    DeviceVector<T> to_device(const HostVector<T>& v) {
        DeviceVector<T> copy(*backend_, v.size());
        upload(*backend_, v, copy);
        return copy;
    }

    template <class T>
    HostVector<T> to_host(const DeviceVector<T>& v) {
        HostVector<T> copy(v.size());
        download(*backend_, v, copy);
        return copy;
    }

private:
    std::unique_ptr<Cuda> backend_;
};

}  // namespace stiefel::test
