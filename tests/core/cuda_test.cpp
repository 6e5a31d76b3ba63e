#include "stiefel/core/cuda.hpp"

#include "stiefel/core/bandwidth.hpp"
#include "stiefel/core/peak_flops.hpp"

#include "support/cuda.hpp"

#include <numeric>

namespace stiefel::test {
namespace {

TEST(CudaDevices, ThatAreNotThereAreRefused) {
    const int n = n_cuda_devices();
    EXPECT_GE(n, 0);
    EXPECT_THROW(Cuda(-1), DeviceError);
    EXPECT_THROW(Cuda{n}, DeviceError);
    if (n == 0) return;
    try {
        Cuda beyond(n);
        FAIL() << "made a backend on device " << n << " of " << n;
    } catch (const DeviceError& error) {
        const std::string said = error.what();
        EXPECT_NE(said.find("CUDA device " + std::to_string(n)), std::string::npos) << said;
        EXPECT_NE(said.find(std::to_string(n) + (n == 1 ? " is visible" : " are visible")), std::string::npos) << said;
    }
}

static_assert(Serial::threads_may_share && !OpenMP::threads_may_share && !Cuda::threads_may_share);

class CudaBackend : public OnCuda {};

TEST_F(CudaBackend, KnowsItsDevice) {
    const CudaDevice& device = backend().device();
    EXPECT_FALSE(device.name.empty());
    EXPECT_GT(device.multiprocessors, 0);
    EXPECT_GE(device.major, 8);
    EXPECT_GT(backend().free_bytes(), 0);
    EXPECT_LE(backend().free_bytes(), device.memory_bytes);
}

TEST_F(CudaBackend, CopiesThereAndBack) {
    // The last two go through page-locked memory, in whole chunks and with a rest.
    for (Size n : {0, 1, 1000, 1 << 20, 1 << 23, 5000001}) {
        HostVector<double> v(n);
        std::iota(v.begin(), v.end(), 1.0);
        DeviceVector<double> moved;
        {
            DeviceVector<double> there = to_device(v);
            moved = std::move(there);
        }
        const HostVector<double> back = to_host(moved);
        EXPECT_TRUE(std::equal(v.begin(), v.end(), back.begin()));
    }
    DeviceVector<float> three(backend(), 3);
    HostVector<float> four(4);
    EXPECT_THROW(upload(backend(), four, three), InvalidArgument);
    EXPECT_THROW(download(backend(), three, four), InvalidArgument);
}

TEST_F(CudaBackend, VectorsMayOutliveIt) {
    DeviceVector<int> v;
    {
        Cuda other;
        v = DeviceVector<int>(other, 100);
    }
    EXPECT_EQ(v.size(), 100);
}

TEST_F(CudaBackend, OutOfMemorySaysWhatWasAskedAndWhatIsFree) {
    const Size too_many = backend().device().memory_bytes;
    try {
        DeviceVector<double> v(backend(), too_many);
        FAIL() << "allocated eight times the device's memory";
    } catch (const OutOfMemory& error) {
        EXPECT_EQ(error.bytes_asked(), too_many * 8);
        EXPECT_GT(error.bytes_free(), 0);
        EXPECT_NE(std::string(error.what()).find(backend().device().name), std::string::npos) << error.what();
    }
    EXPECT_THROW(backend().require_free("the test", backend().device().memory_bytes * 2), OutOfMemory);
    EXPECT_NO_THROW(backend().require_free("the test", 1));
    EXPECT_TRUE(backend().has_free(1));
    EXPECT_FALSE(backend().has_free(backend().device().memory_bytes * 2));
    EXPECT_THROW(DeviceVector<double>(backend(), Size{1} << 61), InvalidArgument);
    // The failure leaves nothing behind.
    EXPECT_EQ(to_host(to_device(HostVector<int>{1, 2, 3}))[2], 3);
}

TEST_F(CudaBackend, EventsMeasureTime) {
    CudaEvent start, stop;
    start.record(backend());
    stop.record(backend());
    EXPECT_GE(stop.seconds_since(start), 0.0);
    EXPECT_GT(copy_bandwidth(backend(), 1 << 24), 1e9);
}

// A multiprocessor has 2 to 64 units for double and 64 to 128 for float, each of which begins a fused multiply-add in a
// cycle, of 0.1 to 4 ns in whatever state the device is. Work that the compiler leaves out would be far above.
TEST_F(CudaBackend, PeakIsThatOfItsUnits) {
    const double multiprocessors = backend().device().multiprocessors;
    const double of_double = peak_flops<double>(backend()), of_float = peak_flops<float>(backend());
    EXPECT_GT(of_double, multiprocessors * 2 * 2 * 0.25e9);
    EXPECT_LT(of_double, multiprocessors * 64 * 2 * 10e9);
    EXPECT_GT(of_float, multiprocessors * 64 * 2 * 0.25e9);
    EXPECT_LT(of_float, multiprocessors * 128 * 2 * 10e9);
}

}  // namespace
}  // namespace stiefel::test
