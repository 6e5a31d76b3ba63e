#include "bench/comparison.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

namespace stiefel::bench {

namespace {

/// Keeps the seconds of every repetition, and passes everything on to the reporter that the user asked for.
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

private:
    std::map<std::string, std::vector<double>> seconds_;
};

void print_row(const Contender& contender, const std::vector<double>& calls, double bandwidth, double reference) {
    const double median = calls[calls.size() / 2] / contender.jobs;
    const double spread = (calls.back() - calls.front()) / calls[calls.size() / 2];
    const double bytes_per_s = contender.work.bytes / median;
    fmt::print("  {:<28} {:>10.3f} {:>7.1f}% {:>8.2f} {:>8.2f} {:>9} {:>9}\n", contender.name, 1e3 * median,
               100 * spread, bytes_per_s / 1e9, contender.work.flops / median / 1e9,
               bandwidth > 0 ? fmt::format("{:.2f}", bytes_per_s / bandwidth) : "-",
               reference > 0 ? fmt::format("{:.2f}x", reference / median) : "-");
}

}  // namespace

void run(const Comparison& comparison, double bandwidth) {
    benchmark::ClearRegisteredBenchmarks();
    for (const Contender& contender : comparison.contenders) {
        benchmark::RegisterBenchmark(contender.name.c_str(), [&contender](benchmark::State& state) {
            for (auto _ : state) contender.run();
        })->UseRealTime();
    }
    Collector collector;
    benchmark::RunSpecifiedBenchmarks(&collector);

    double reference = std::numeric_limits<double>::infinity();
    for (const Contender& contender : comparison.contenders) {
        const std::vector<double> calls = collector.sorted_seconds(contender.name);
        if (contender.is_reference && !calls.empty()) {
            reference = std::min(reference, calls[calls.size() / 2] / contender.jobs);
        }
    }
    fmt::print("\n{}, {}\n", comparison.job, comparison.problem);
    fmt::print("  {:<28} {:>10} {:>8} {:>8} {:>8} {:>9} {:>9}\n", "", "median ms", "spread", "GB/s", "GFLOP/s",
               "bandwidth", "reference");
    for (const Contender& contender : comparison.contenders) {
        const std::vector<double> calls = collector.sorted_seconds(contender.name);
        if (calls.empty()) continue;  // filtered out
        print_row(contender, calls, bandwidth, std::isinf(reference) ? 0 : reference);
    }
    std::fflush(stdout);
}

}  // namespace stiefel::bench
