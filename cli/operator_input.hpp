#pragma once

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/machine.hpp"
#include "stiefel/cli/method_words.hpp"
#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/core/backend.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/spmv/choose.hpp"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <utility>

namespace stiefel::cli {

// From a matrix on the host to the operator that a command computes with, and the rate of the memory that its kernels
// are measured by; Options and Report are the command's.

/// The matrix in the backend's memory; where that is the host's, the same one.
template <HostBackend B, class T>
HostCsr<T> to_backend(B&, HostCsr<T> csr) {
    return csr;
}

/// Asks for all the device memory that the solve will need before anything is brought there: the matrix as CSR and in
/// two formats while the fastest is sought, and the vectors of CG.
template <class T>
DeviceCsr<T> to_backend(Cuda& backend, HostCsr<T> csr) {
    constexpr Size copies = 3, vectors = 6;
    backend.require_free("the system", copies * csr.bytes() + vectors * csr.n_rows * static_cast<Size>(sizeof(T)));
    return to_device(backend, csr);
}

/// Threads of the host that read and check the system.
template <HostBackend B, class Options>
int host_threads(const B& backend, const Options&) {
    return backend.threads();
}
template <class Options>
int host_threads(const Cuda&, const Options& options) {
    return OpenMP(static_cast<int>(options.threads)).threads();
}

/// What is computed on and with, for reports.
template <class B, class Options>
SolveReport::Backend described(const B& backend, const Options& options) {
    return {.name = B::name,
            .threads = host_threads(backend, options),
            .device = device_name(backend),
            .software = device_software(backend)};
}

/// The matrix in the format and under the kernel asked for, or found best for panels of so many columns. Consumes the
/// CSR.
template <class T, class B, class Options, class Report>
SpmvOperator<B, T> chosen_operator(B& backend, Csr<T, typename B::memory> csr, const RowStatistics& rows, Index columns,
                                   const Options& options, Report& report) {
    const std::string format(options.format);
    try {
        ChosenOperator<B, T> chosen = choose_operator<B, T>(
            backend, std::move(csr), rows, {.format = format, .kernel = options.kernel, .columns = columns});
        report.matrix.format = chosen.a.format();
        report.matrix.bytes = chosen.a.bytes();
        report.method.kernel = chosen.a.kernel();
        report.method.kernel_reason = chosen.why;
        return std::move(chosen.a);
    } catch (const InvalidArgument& problem) {  // a name that there is not, or padding beyond its limit
        throw UsageError(fmt::format("--format {} --kernel {}: {}", format, options.kernel, problem.what()));
    }
}

/// Measures what the report compares kernels with, unless the matrix stays in a cache, nothing was iterated or the
/// program is to end. That it cannot be measured is worth a note, no more.
template <class B, class Report>
void try_read_bandwidth(const B& backend, Report& report) {
    if (report.result.iterations == 0 || InterruptGuard::requested()) return;
    const Stopwatch watch;
    try {
        if (fits_in_cache(backend, report.matrix.bytes)) return;
        report.read_bandwidth = measured_bandwidth(backend, report.matrix.bytes);
    } catch (const std::exception& problem) {
        report.notes.push_back(fmt::format("the read bandwidth could not be measured: {}", message_of(problem)));
    }
    report.seconds.bandwidth = watch.seconds();
}

}  // namespace stiefel::cli
