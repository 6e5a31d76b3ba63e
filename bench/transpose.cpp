#include "bench/transpose.hpp"

#include "bench/blas_reference.hpp"
#include "bench/dense_setting.hpp"
#include "bench/operands.hpp"

#include "stiefel/core/timing.hpp"
#include "stiefel/dense/transpose_kernels.hpp"

#include <fmt/format.h>

namespace stiefel::bench {

namespace {

/// Exact or wrong; a transpose does not round.
template <class T>
Deviation compare(const HostVector<T>& a, const HostVector<T>& b, Index n) {
    Deviation result;
    for (Size i = 0; i < n && result.accepted; ++i) {
        for (Size j = 0; j < n; ++j) {
            if (b[j * n + i] == a[i * n + j]) continue;
            result.accepted = false;
            result.largest = 1;
            break;
        }
    }
    return result;
}

template <class T>
Ladder blank(const DenseSetting& setting, Index n, const std::string& where) {
    Ladder ladder;
    ladder.title = fmt::format("transpose {}: {} x {}, {}", sizeof(T) == 8 ? "fp64" : "fp32", n, n, where);
    ladder.work = transpose_work<T>(n, n);
    ladder.repetitions = setting.repetitions;
    ladder.limit_seconds = setting.limit_seconds;
    return ladder;
}

template <class T>
int transpose_on_host(const DenseSetting& setting, Index n) {
    Serial serial;
    OpenMP openmp(setting.threads);
    const HostVector<T> a = random_vector<T>(openmp, Size{n} * n, 1);
    HostVector<T> b = make_vector<T>(openmp, Size{n} * n);
    Ladder ladder = blank<T>(setting, n, fmt::format("host, {} threads", openmp.threads()));
    ladder.peak = host_read_bandwidth(openmp.threads());
    ladder.peak_name = "of read";
    const auto add = [&](auto& backend) {
        for (const auto& kernel : transpose_kernels<T>(backend)) {
            Rung rung;
            rung.name = fmt::format("{} {}", backend.name, kernel.name);
            rung.run = [&, kernel] {
                Stopwatch watch;
                kernel.run(backend, as_matrix(a, n, n), as_matrix(b, n, n));
                return watch.seconds();
            };
            rung.deviation = [&] { return compare(a, b, n); };
            ladder.rungs.push_back(rung);
        }
    };
    add(serial);
    add(openmp);
    Rung copy;
    copy.name = "copy";
    copy.is_reference = true;
    copy.run = [&] {
        Stopwatch watch;
#pragma omp parallel for num_threads(openmp.threads()) schedule(static)
        for (Size i = 0; i < a.size(); ++i) b[i] = a[i];
        return watch.seconds();
    };
    ladder.rungs.push_back(copy);
    return print(ladder);
}

template <class T>
int transpose_on_cuda([[maybe_unused]] const DenseSetting& setting, [[maybe_unused]] Index n) {
#ifdef STIEFEL_HAS_CUDA
    Cuda backend;
    OpenMP host;
    const HostVector<T> values = random_vector<T>(host, Size{n} * n, 1);
    DeviceVector<T> a(backend, values.size());
    DeviceVector<T> b(backend, values.size());
    upload(backend, values, a);
    const auto cublas = CudaBlas::open(backend);

    Ladder ladder = blank<T>(setting, n, backend.device().name);
    const auto add = [&](const std::string& name, bool is_reference, auto&& work) {
        Rung rung;
        rung.name = name;
        rung.is_reference = is_reference;
        rung.run = [&backend, work] {
            CudaEvent begin, end;
            begin.record(backend);
            work();
            end.record(backend);
            return end.seconds_since(begin);
        };
        ladder.rungs.push_back(rung);
    };
    const auto checked = [&] {
        ladder.rungs.back().deviation = [&] {
            HostVector<T> found(values.size());
            download(backend, b, found);
            return compare(values, found, n);
        };
    };
    const auto copy = [&] { backend.copy_bytes(b.data(), a.data(), a.bytes()); };
    add("device copy", true, copy);
    ladder.peak = ladder.work.bytes / median_seconds(ladder.rungs.back().run, setting.repetitions);
    ladder.peak_name = "of copy";
    for (const auto& kernel : transpose_kernels<T>(backend)) {
        add(std::string(kernel.name), false,
            [&, kernel] { kernel.run(backend, as_matrix(std::as_const(a), n, n), as_matrix(b, n, n)); });
        checked();
    }
    if (cublas != nullptr) {
        add("cuBLAS geam", true, [&] { cublas->transpose(n, a.data(), b.data()); });
        checked();
    }
    return print(ladder);
#else
    throw InvalidArgument("--backend cuda: this stiefel-bench was built without CUDA");
#endif
}

}  // namespace

int run_transpose(const std::vector<std::string>& arguments) {
    const DenseSetting setting = parse_dense_setting(arguments, {.repetitions = 100, .sizes = {4096}});
    if (!setting.sweep.empty()) throw InvalidArgument("--sweep is for gemm");
    int wrong = 0;
    for (const Index n : setting.sizes) {
        wrong += setting.cuda
                     ? (setting.single ? transpose_on_cuda<float>(setting, n) : transpose_on_cuda<double>(setting, n))
                     : (setting.single ? transpose_on_host<float>(setting, n) : transpose_on_host<double>(setting, n));
    }
    if (wrong > 0) fmt::print(stderr, "{} results are wrong\n", wrong);
    return wrong > 0 ? 1 : 0;
}

}  // namespace stiefel::bench
