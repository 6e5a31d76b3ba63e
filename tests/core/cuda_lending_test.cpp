#include "stiefel/core/cuda.hpp"

#include "stiefel/core/cuda/check.hpp"
#include "stiefel/dense/norm.hpp"
#include "support/cuda.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <thread>

// Devices, streams and memory that are lent to the backend, and what of them it leaves as it was.

namespace stiefel::test {
namespace {

class CudaLending : public OnCuda {};

struct Stream {
    Stream() { check_cuda(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "creating a stream"); }
    ~Stream() { static_cast<void>(cudaStreamDestroy(handle)); }
    cudaStream_t handle = nullptr;
};

template <class T>
T* allocate(Size n) {
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, static_cast<std::size_t>(n) * sizeof(T)), "allocating");
    return static_cast<T*>(memory);
}

TEST_F(CudaLending, WorksOnALentStream) {
    const Stream stream;
    {
        Cuda lent(0, stream.handle);
        EXPECT_EQ(lent.stream(), stream.handle);
        DeviceVector<double> x(lent, 1000);
        fill(lent, 3.0, x);
        // In order with what others enqueue there.
        HostVector<double> back(1000);
        check_cuda(cudaMemcpyAsync(back.data(), x.data(), static_cast<std::size_t>(x.bytes()), cudaMemcpyDeviceToHost,
                                   stream.handle),
                   "copying");
        check_cuda(cudaStreamSynchronize(stream.handle), "waiting");
        for (const double value : back) ASSERT_EQ(value, 3.0);
    }
    EXPECT_EQ(cudaStreamSynchronize(stream.handle), cudaSuccess) << "the stream is the lender's still";
    EXPECT_THROW(Cuda(0, nullptr), InvalidArgument);
}

TEST_F(CudaLending, LeavesTheDefaultPoolAsItWas) {
    cudaMemPool_t pool = nullptr;
    check_cuda(cudaDeviceGetDefaultMemPool(&pool, 0), "asking for the pool");
    std::uint64_t threshold = 12345;
    check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold), "setting the threshold");
    std::uint64_t before = 0, after = 0;
    check_cuda(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &before), "asking the pool");
    Cuda other;
    const DeviceVector<double> x(other, 1 << 20);
    check_cuda(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold), "asking the pool");
    check_cuda(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &after), "asking the pool");
    EXPECT_EQ(threshold, 12345u);
    EXPECT_EQ(before, after);
    threshold = 0;
    check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold), "setting the threshold");
}

TEST_F(CudaLending, MayGoWhileTheDeviceWorks) {
    const Stream stream;
    for (int turn = 0; turn < 100; ++turn) {
        Cuda other, lent(0, stream.handle);
        for (Cuda* const each : {&other, &lent}) {
            for (int k = 0; k < 3; ++k) {
                DeviceVector<double> x(*each, 1 << 22);
                fill(*each, 1.0, x);
            }
        }
    }
    DeviceVector<double> x(backend(), 1000);
    fill(backend(), 1.0, x);
    EXPECT_EQ(norm(backend(), x), std::sqrt(1000.0));
}

TEST_F(CudaLending, VectorsOverMemoryOfOthers) {
    constexpr Size n = 1000;
    auto* const memory = allocate<double>(n + 2);
    {
        const auto guard = std::make_shared<int>(0);
        auto x = DeviceVector<double>::lent(backend(), memory + 2, n, guard);
        EXPECT_EQ(guard.use_count(), 2);
        EXPECT_EQ(x.data(), memory + 2);
        fill(backend(), 2.0, x);
        const DeviceVector<double> moved = std::move(x);
        EXPECT_EQ(guard.use_count(), 2);
        EXPECT_EQ(norm(backend(), moved), 2.0 * std::sqrt(static_cast<double>(n)));
        const auto constant = DeviceVector<double>::lent(backend(), static_cast<const double*>(memory + 2), n);
        EXPECT_EQ(to_host(constant)[n - 1], 2.0);
    }
    backend().synchronize();
    EXPECT_EQ(cudaFree(memory), cudaSuccess) << "the memory is the lender's still";
}

TEST_F(CudaLending, RefusesWhatKernelsCannotRead) {
    auto* const memory = allocate<double>(10);
    EXPECT_THROW(DeviceVector<double>::lent(backend(), memory + 1, 8), InvalidArgument) << "half of 16 bytes";
    EXPECT_THROW(DeviceVector<double>::lent(backend(), memory, -1), InvalidArgument);
    EXPECT_NO_THROW(DeviceVector<double>::lent(backend(), memory, 10));
    HostVector<double> host(10);
    int pageable = 0;
    check_cuda(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0), "asking for an attribute");
    if (pageable == 0) {
        EXPECT_THROW(DeviceVector<double>::lent(backend(), host.data(), 10), InvalidArgument);
    }
    static_cast<void>(cudaFree(memory));
}

/// Backends of two devices take turns in one thread, and each finds its own device current.
TEST_F(CudaLending, TwoDevicesInOneThread) {
    if (n_cuda_devices() < 2) GTEST_SKIP() << "this machine has one CUDA device";
    Cuda first(0), second(1);
    DeviceVector<double> x(first, 100000), y(second, 100000);
    for (int turn = 1; turn <= 3; ++turn) {
        fill(first, 1.0 * turn, x);
        fill(second, 2.0 * turn, y);
        EXPECT_EQ(norm(second, y), 2.0 * norm(first, x));
    }
    const DeviceVector<double> of_second(second, 16);
    EXPECT_THROW(DeviceVector<double>::lent(first, of_second.data(), 16), InvalidArgument);
}

/// Frees and calls from a thread in which nothing was selected before.
TEST_F(CudaLending, AnotherThreadMayGoOn) {
    DeviceVector<double> x(backend(), 1000);
    double seen = 0;
    std::thread([&] {
        fill(backend(), 1.0, x);
        seen = norm(backend(), x);
        x = DeviceVector<double>();
    }).join();
    EXPECT_DOUBLE_EQ(seen, std::sqrt(1000.0));
}

}  // namespace
}  // namespace stiefel::test
