#include "bench/comparison.hpp"

#include "bench/build_info.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

namespace stiefel::bench {

namespace {

constexpr const char* read_name = "read";

/// Keeps the seconds of every repetition; --benchmark_out goes its own way.
class Collector : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.run_type != Run::RT_Iteration) continue;
            seconds_[run.run_name.function_name].push_back(run.real_accumulated_time /
                                                           static_cast<double>(run.iterations));
        }
    }
    /// Ascending seconds of a contender's repetitions.
    std::vector<double> sorted_seconds(const std::string& name) const {
        const auto found = seconds_.find(name);
        std::vector<double> seconds = found == seconds_.end() ? std::vector<double>{} : found->second;
        std::sort(seconds.begin(), seconds.end());
        return seconds;
    }
    double median(const Contender& contender) const {
        const std::vector<double> seconds = sorted_seconds(contender.name);
        if (seconds.empty()) return std::numeric_limits<double>::quiet_NaN();
        return seconds[seconds.size() / 2] / contender.jobs;
    }

private:
    std::map<std::string, std::vector<double>> seconds_;
};

void register_contender(const Contender& contender) {
    benchmark::RegisterBenchmark(contender.name.c_str(), [&contender](benchmark::State& state) {
        for (auto _ : state) contender.run();
        const auto rate = [](double per_job, int jobs) {
            return benchmark::Counter(per_job * jobs, benchmark::Counter::kIsIterationInvariantRate);
        };
        state.counters["bytes_per_s"] = rate(contender.work.bytes, contender.jobs);
        state.counters["flops"] = rate(contender.work.flops, contender.jobs);
    })->UseRealTime();
}

void add_context() {
    static bool added = false;
    if (std::exchange(added, true)) return;
    benchmark::AddCustomContext("commit", build_commit());
    benchmark::AddCustomContext("compiler", build_compiler());
    benchmark::AddCustomContext("flags", build_flags());
    benchmark::AddCustomContext("device", processor_name());
}

void print_row(const Contender& contender, const Collector& times, double bandwidth, double reference) {
    const std::vector<double> calls = times.sorted_seconds(contender.name);
    if (calls.empty()) return;
    const double median = times.median(contender);
    const double bytes_per_s = contender.work.bytes / median;
    fmt::print("  {:<28} {:>10.3f} {:>8.3f} .. {:<8.3f} {:>8.2f} {:>8.2f} {:>9} {:>9}\n", contender.name, 1e3 * median,
               1e3 * calls.front() / contender.jobs, 1e3 * calls.back() / contender.jobs, bytes_per_s / 1e9,
               contender.work.flops / median / 1e9,
               bandwidth > 0 ? fmt::format("{:.2f}", bytes_per_s / bandwidth) : "-",
               std::isfinite(reference) ? fmt::format("{:.2f}x", reference / median) : "-");
}

}  // namespace

std::vector<double> run(const Comparison& comparison) {
    add_context();
    benchmark::ClearRegisteredBenchmarks();
    Contender read{.name = read_name, .run = {}};
    if (comparison.bandwidth != nullptr) {
        read.run = [&] { comparison.bandwidth->read(); };
        read.work.bytes = static_cast<double>(comparison.bandwidth->bytes());
        register_contender(read);
    }
    for (const Contender& contender : comparison.contenders) register_contender(contender);
    Collector times;
    benchmark::RunSpecifiedBenchmarks(&times);

    std::vector<double> medians;
    double reference = std::numeric_limits<double>::infinity();
    for (const Contender& contender : comparison.contenders) {
        medians.push_back(times.median(contender));
        if (contender.is_reference) reference = std::fmin(reference, medians.back());
    }
    const double read_seconds = times.median(read);
    const double bandwidth = std::isfinite(read_seconds) ? read.work.bytes / read_seconds : 0;
    fmt::print("\n{}, {}\n", comparison.job, comparison.problem);
    fmt::print("  {:<28} {:>10} {:^20} {:>8} {:>8} {:>9} {:>9}\n", "", "median ms", "fastest .. slowest", "GB/s",
               "GFLOP/s", "bandwidth", "reference");
    if (bandwidth > 0) print_row(read, times, bandwidth, std::numeric_limits<double>::infinity());
    for (const Contender& contender : comparison.contenders) print_row(contender, times, bandwidth, reference);
    std::fflush(stdout);
    return medians;
}

}  // namespace stiefel::bench
