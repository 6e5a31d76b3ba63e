#pragma once

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/report/computation_report.hpp"
#include "stiefel/cli/report/matrix_diagnosis.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <exception>
#include <type_traits>

namespace stiefel::cli {

/// Adds to the report what the matrix is like, for a page; what it takes is told among the times. From a device the
/// matrix is brought back for it. That there is no room for that is worth a note, no more.
template <class B, class T, class Memory>
void try_diagnosis(B& maker, OpenMP& host, const Csr<T, Memory>& a, int exponent, ComputationReport& report) {
    const Stopwatch watch;
    const bool is_symmetric = report.matrix.symmetry == "symmetric";
    try {
        if constexpr (std::is_same_v<Memory, HostMemory>) {
            report.diagnosis = diagnosed(host, a, exponent, is_symmetric);
        } else {
            report.diagnosis = diagnosed(host, to_host(maker, a), exponent, is_symmetric);
        }
    } catch (const std::exception& problem) {
        report.notes.push_back("--report: the matrix is not described: " + message_of(problem));
    }
    report.seconds.examine += watch.seconds();
}

}  // namespace stiefel::cli
