#pragma once

#include "stiefel/cli/computation_options.hpp"
#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/machine.hpp"
#include "stiefel/cli/report/computation_report.hpp"
#include "stiefel/core/backend.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/spmv/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace stiefel::cli {

// From a matrix to the operator that a command computes with, and the rate of the memory that its kernels
// are measured by; Report is the command's.

/// Threads of the host that read and check the system.
inline int host_threads(const BackendWords& words) {
    return words.backend == BackendChoice::serial ? 1 : OpenMP(static_cast<int>(words.threads)).threads();
}

/// What is computed on and with, for reports.
template <class B>
ComputationReport::Backend described(const B& backend, const OpenMP& host) {
    return {.name = B::name,
            .threads = host.threads(),
            .device = device_name(backend),
            .software = device_software(backend)};
}

/// What is known of the method before anything is read.
inline void report_asked(const ComputationWords& words, ComputationReport::Method& method) {
    method.precision = word_of<Precision>(words.precision, precision_choices);
    method.rtol = words.rtol;
    method.max_iterations = words.max_iterations;
    method.time_limit = words.time_limit;
}

/// The matrix in the format and under the kernel that the options ask for, or that is found best for what is `wanted`
/// else. Consumes the CSR.
template <class T, class B, class Report>
SpmvOperator<B, T> chosen_operator(B& backend, Csr<T, typename B::memory> csr, const RowStatistics& rows,
                                   FormatChoice wanted, const ComputationWords& options, Report& report) {
    wanted.format = options.format;
    wanted.kernel = options.kernel;
    const Stopwatch watch;
    try {
        ChosenOperator<B, T> chosen = choose_operator<B, T>(backend, std::move(csr), rows, wanted);
        report.matrix.format = chosen.a.format();
        report.matrix.bytes = chosen.a.bytes();
        report.method.kernel = chosen.a.kernel();
        report.method.kernel_reason = chosen.why;
        report.seconds.choose = watch.seconds();
        return std::move(chosen.a);
    } catch (const InvalidArgument& problem) {  // a name that there is not, or padding beyond its limit
        throw UsageError(fmt::format("--format {} --kernel {}: {}", wanted.format, wanted.kernel, problem.what()));
    }
}

/// Measures what the report compares kernels with, unless nothing was iterated or the program is to end: the rate of
/// the memory, or, for a page, that of the caches where the matrix stays in them, and of operations in T. That it
/// cannot be measured is worth a note, no more.
template <class T, class B, class Report>
void try_rates_of_machine(const B& backend, const OutputWords& words, Report& report) {
    if (report.result.iterations == 0 || InterruptGuard::requested()) return;
    const Stopwatch watch;
    try {
        const bool is_in_cache = fits_in_cache(backend, report.matrix.bytes);
        if (is_in_cache && words.report.empty()) return;
        if (!is_in_cache) {
            report.read_bandwidth = measured_bandwidth(backend, report.matrix.bytes);
        } else {
            // An array of the matrix's size, but not so small that starting threads is what is measured.
            constexpr Size least = Size{4} << 20;
            report.cache_bandwidth = measured_bandwidth(backend, std::max(least, report.matrix.bytes) / 2);
        }
        if (!words.report.empty()) report.peak_flops = measured_peak<T>(backend);
    } catch (const std::exception& problem) {
        report.notes.push_back(fmt::format("the read bandwidth could not be measured: {}", message_of(problem)));
    }
    report.seconds.bandwidth = watch.seconds();
}

}  // namespace stiefel::cli
