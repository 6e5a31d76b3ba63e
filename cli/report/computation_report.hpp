#pragma once

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/report/iteration_marks.hpp"
#include "stiefel/cli/run_info.hpp"
#include "stiefel/core/kernel_clock.hpp"
#include "stiefel/preconditioner/details.hpp"
#include "stiefel/solver/stop_reason.hpp"

#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stiefel::cli {

struct MatrixDiagnosis;
struct RanksReport;

/// What there is to tell of every command that computes with a matrix, solve or eigen, in whatever form: text, JSON or
/// HTML.
struct ComputationReport {
    struct Matrix {
        std::string path = {};
        Size n_rows = 0;  ///< of all ranks
        Size n_cols = 0;
        Size nnz = 0;               ///< of the expanded matrix
        std::string symmetry = {};  ///< what the file declares: "symmetric", "general", "skew-symmetric"
        std::string format = {};    ///< the one solved with: "csr", "ellpack", "sell"
        Size bytes = 0;             ///< in that format
    };

    struct Backend {
        std::string name = {};
        int threads = 1;
        std::string device = {};    ///< the processor's or accelerator's name
        std::string software = {};  ///< between the program and a device: "CUDA 13.0, driver for 13.1"
    };

    struct Method {
        std::string preconditioner = {};
        std::string preconditioner_reason = {};  ///< why, if it was chosen automatically
        std::string precision = {};
        std::string kernel = {};
        std::string kernel_reason = {};  ///< why this format and kernel
        double rtol = 0;
        Size max_iterations = 0;
        double time_limit = std::numeric_limits<double>::infinity();  ///< seconds
    };

    /// Wall-clock. What belongs to none of the parts (starting up, reports) is in the total only.
    struct Seconds {
        double read = 0;       ///< files to memory
        double start = 0;      ///< of the backend, beyond the time that reading took
        double convert = 0;    ///< to CSR, and on to the format solved with
        double choose = 0;     ///< of `convert`, the choice of that format and of a kernel, with trials
        double examine = 0;    ///< what the matrix is like, for --report
        double setup = 0;      ///< checks, preconditioner, right-hand side
        double upload = 0;     ///< vectors to the device; 0 where host memory is computed in
        double solve = 0;      ///< the solver: what its loop is made of, and the loop
        double sample = 0;     ///< iterations that only serve to time kernels, once x is there; of small device solves
        double download = 0;   ///< x from the device; 0 likewise
        double write = 0;      ///< x to its file
        double compare = 0;    ///< solving in the other way, with `--solver both`
        double bandwidth = 0;  ///< measuring the rates of the machine
        double total = 0;      ///< since the program was started
    };

    /// What ended the work before it could say for itself how it ended: memory that is not there, a device that failed.
    struct Fault {
        ExitCode code = ExitCode::no_resources;
        std::string message = {};
    };

    RunInfo run = {};
    Matrix matrix = {};
    Backend backend = {};
    PreconditionerDetails preconditioner = {};
    std::optional<Fault> fault = {};  ///< then the result's reason is `running`
    Seconds seconds = {};
    IterationMarks marks = {};                              ///< of the result's history, if it was asked for
    std::shared_ptr<const MatrixDiagnosis> diagnosis = {};  ///< if --report was
    std::shared_ptr<const RanksReport> ranks = {};          ///< if there are several
    std::optional<double> read_bandwidth = {};   ///< bytes per second; absent where all that is touched fits in cache
    std::optional<double> cache_bandwidth = {};  ///< where it does, for --report: of the caches that hold it
    std::optional<double> peak_flops = {};       ///< for --report: of what computes, per second, in the solver's type
    Size peak_memory_bytes = 0;
    std::vector<std::string> notes = {};     ///< of the reader and the checks
    std::vector<std::string> failures = {};  ///< outputs that could not be written, and why

    /// What an outcome stands for, whatever became of the outputs.
    ExitCode exit_code(StopReason reason) const { return fault ? fault->code : exit_code_of(reason); }
};

/// "converged", ...; "failed" where a fault kept it from ending.
std::string_view reason_word(StopReason reason);

/// A fault as reports have it.
ComputationReport::Fault fault_of(const std::exception& problem);

/// How the command ends: by its outcome. Only where there is nothing else to complain of, by an output that could not
/// be written.
ExitCode final_exit_code(const ComputationReport& report, StopReason reason);

/// The parts of the time in order, with the names that people read.
std::vector<std::pair<const char*, double>> time_parts(const ComputationReport::Seconds& seconds);

/// What a kernel achieved, from the time of all its calls.
struct KernelRates {
    double gbytes_per_s = 0;
    double gflops = 0;
    std::optional<double> fraction_of_bandwidth = {};
};
KernelRates rates_of(const KernelTime& kernel, std::optional<double> read_bandwidth);

}  // namespace stiefel::cli
