#include "bench/gemm_job.hpp"

#include "stiefel/core/cuda/check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiefel::bench {

namespace {

template <class T>
DeviceVector<T> random_device_vector(Cuda& backend, Size n, std::uint64_t seed) {
    OpenMP host;
    DeviceVector<T> v(backend, n);
    upload(backend, random_vector<T>(host, n, seed), v);
    return v;
}

template <class F>
double device_seconds(const Cuda& backend, F&& f) {
    CudaEvent begin, end;
    begin.record(backend);
    f();
    end.record(backend);
    return end.seconds_since(begin);
}

}  // namespace

double cuda_peak(const Cuda& backend, bool single, bool tf32) {
    int kilohertz = 0;
    check_cuda(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, backend.device().index),
               "asking for the clock");
    const bool hopper = backend.device().major >= 9;
    const double flops_per_cycle = tf32 ? (hopper ? 2048 : 1024) : single ? (hopper ? 256 : 128) : (hopper ? 256 : 128);
    return flops_per_cycle * backend.device().multiprocessors * kilohertz * 1e3;
}

template <class T>
GemmCudaJob<T>::GemmCudaJob(Cuda& backend, Index n)
    : backend_(backend),
      n_(n),
      a_(random_device_vector<T>(backend, Size{n} * n, 1)),
      b_(random_device_vector<T>(backend, Size{n} * n, 2)),
      c_(backend, Size{n} * n),
      reference_(Size{n} * n),
      absolutes_(Size{n} * n),
      cublas_(CudaBlas::open(backend)) {
    const auto product = [&](const DeviceVector<T>& x, const DeviceVector<T>& y, HostVector<T>& z) {
        if (cublas_ != nullptr) {
            cublas_->gemm(n, n, n, x.data(), y.data(), c_.data());
        } else {
            gemm(backend_, Op::none, Op::none, 1, as_matrix(x, n, n), as_matrix(y, n, n), 0, as_matrix(c_, n, n));
        }
        download(backend_, c_, z);
    };
    product(a_, b_, reference_);
    OpenMP host;
    HostVector<T> values(Size{n} * n);
    DeviceVector<T> absolutes[2] = {DeviceVector<T>(backend, Size{n} * n), DeviceVector<T>(backend, Size{n} * n)};
    download(backend_, a_, values);
    upload(backend_, absolute(host, values), absolutes[0]);
    download(backend_, b_, values);
    upload(backend_, absolute(host, values), absolutes[1]);
    product(absolutes[0], absolutes[1], absolutes_);
}

template <class T>
Ladder GemmCudaJob<T>::blank(const DenseSetting& setting, const std::string& what) const {
    Ladder ladder;
    ladder.title =
        fmt::format("gemm {} {}: {} x {}, {}", sizeof(T) == 8 ? "fp64" : "fp32", what, n_, n_, backend_.device().name);
    ladder.work = gemm_work<T>(n_, n_, n_);
    ladder.peak = cuda_peak(backend_, sizeof(T) == 4, false);
    ladder.peak_name = "of peak";
    ladder.repetitions = setting.repetitions;
    ladder.limit_seconds = setting.limit_seconds;
    return ladder;
}

template <class T>
Deviation GemmCudaJob<T>::check(double slack) {
    HostVector<T> found(c_.size());
    download(backend_, c_, found);
    return deviation(found, reference_, absolutes_, n_, slack);
}

template <class T>
Rung GemmCudaJob<T>::rung(const GemmKernel<Cuda, T>& kernel, const GemmTuning& tuning, const std::string& name) {
    const bool tf32 = kernel.precision == "tf32";
    Rung rung;
    rung.name = name;
    rung.run = [this, kernel, tuning] {
        backend_.zero_bytes(c_.data(), c_.bytes());
        const auto arguments =
            gemm_arguments<T, DeviceMemory>(Op::none, Op::none, 1, as_matrix(std::as_const(a_), n_, n_),
                                            as_matrix(std::as_const(b_), n_, n_), 0, as_matrix(c_, n_, n_));
        return device_seconds(backend_, [&] { kernel.run(backend_, arguments, tuning); });
    };
    rung.deviation = [this, tf32] { return check(tf32 ? 0x1p-9 : 0.0); };
    if (tf32) rung.peak = cuda_peak(backend_, true, true);
    return rung;
}

template <class T>
void GemmCudaJob<T>::add_references(Ladder& ladder) {
    if (cublas_ == nullptr) return;
    Rung rung;
    rung.name = "cuBLAS";
    rung.is_reference = true;
    rung.run = [this] {
        return device_seconds(backend_, [&] { cublas_->gemm(n_, n_, n_, a_.data(), b_.data(), c_.data()); });
    };
    rung.deviation = [this] { return check(0); };
    ladder.rungs.push_back(rung);
}

template <class T>
Ladder GemmCudaJob<T>::ladder(const DenseSetting& setting) {
    Ladder ladder = blank(setting, "ladder");
    for (const auto& kernel : gemm_kernels<T>(backend_)) {
        if (kernel.precision.empty()) ladder.rungs.push_back(rung(kernel, {}, std::string(kernel.name)));
    }
    add_references(ladder);
    return ladder;
}

template <class T>
Ladder GemmCudaJob<T>::reduced(const DenseSetting& setting) {
    Ladder ladder = blank(setting, "operands rounded to tf32");
    ladder.peak = cuda_peak(backend_, true, true);
    for (const auto& kernel : gemm_kernels<T>(backend_)) {
        if (!kernel.precision.empty()) ladder.rungs.push_back(rung(kernel, {}, std::string(kernel.name)));
    }
    if (cublas_ != nullptr) {
        Rung reference;
        reference.name = "cuBLAS tf32";
        reference.is_reference = true;
        reference.run = [this] {
            return device_seconds(backend_, [&] { cublas_->gemm(n_, n_, n_, a_.data(), b_.data(), c_.data(), true); });
        };
        reference.deviation = [this] { return check(0x1p-9); };
        ladder.rungs.push_back(reference);
    }
    return ladder;
}

template <class T>
Ladder GemmCudaJob<T>::tiles(const DenseSetting& setting) {
    Ladder ladder = blank(setting, "tiles");
    const auto kernels = gemm_kernels<T>(backend_);
    const auto tiled = *std::find_if(kernels.begin(), kernels.end(), [](const auto& k) { return k.name == "tiled"; });
    for (const Index tile : {1, 2, 4, 8, 16, 32}) {
        ladder.rungs.push_back(rung(tiled, {.tile = tile}, fmt::format("tiled {}", tile)));
    }
    add_references(ladder);
    return ladder;
}

template class GemmCudaJob<double>;
template class GemmCudaJob<float>;

}  // namespace stiefel::bench
