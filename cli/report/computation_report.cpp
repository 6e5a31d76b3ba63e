#include "stiefel/cli/report/computation_report.hpp"

namespace stiefel::cli {

std::vector<std::pair<const char*, double>> time_parts(const ComputationReport::Seconds& seconds) {
    return {{"read", seconds.read},         {"start device", seconds.start},
            {"convert", seconds.convert},   {"describe matrix", seconds.examine},
            {"set up", seconds.setup},      {"upload", seconds.upload},
            {"solve", seconds.solve},       {"time kernels", seconds.sample},
            {"download", seconds.download}, {"the other way", seconds.compare},
            {"write", seconds.write},       {"probe bandwidth", seconds.bandwidth}};
}

KernelRates rates_of(const KernelTime& kernel, std::optional<double> read_bandwidth) {
    if (kernel.calls == 0 || !(kernel.seconds > 0)) return {};
    const double calls_per_second = static_cast<double>(kernel.calls) / kernel.seconds;
    KernelRates rates{.gbytes_per_s = kernel.work.bytes * calls_per_second * 1e-9,
                      .gflops = kernel.work.flops * calls_per_second * 1e-9};
    if (read_bandwidth) rates.fraction_of_bandwidth = kernel.work.bytes * calls_per_second / *read_bandwidth;
    return rates;
}

std::string_view reason_word(StopReason reason) {
    return reason == StopReason::running ? "failed" : to_string(reason);
}

ComputationReport::Fault fault_of(const std::exception& problem) {
    return {.code = exit_code_of(problem), .message = message_of(problem)};
}

ExitCode final_exit_code(const ComputationReport& report, StopReason reason) {
    const ExitCode code = report.exit_code(reason);
    return code == ExitCode::done && !report.failures.empty() ? ExitCode::no_resources : code;
}

}  // namespace stiefel::cli
