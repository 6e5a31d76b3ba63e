#pragma once

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/run_info.hpp"
#include "stiefel/preconditioner/details.hpp"
#include "stiefel/solver/solve_result.hpp"

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stiefel::cli {

/// All that a solve has to tell, whatever form it is told in: text, JSON or HTML.
struct SolveReport {
    struct Matrix {
        std::string path = {};
        Index n_rows = 0;
        Index n_cols = 0;
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
        std::string solver = "cg";
        std::string preconditioner = {};
        std::string preconditioner_reason = {};  ///< why, if it was chosen automatically
        std::string precision = {};
        std::string kernel = {};
        std::string kernel_reason = {};  ///< why this format and kernel
        std::string rhs = {};            ///< as asked for: "ones", a path, ...
        std::string guess = {};          ///< path, or empty
        double rtol = 0;
        double atol = 0;
        Size max_iterations = 0;
        double time_limit = std::numeric_limits<double>::infinity();  ///< seconds
    };

    /// Wall-clock. What belongs to none of the parts (starting up, reports) is in the total only.
    struct Seconds {
        double read = 0;       ///< files to memory
        double start = 0;      ///< of the backend, beyond the time that reading took
        double convert = 0;    ///< to CSR, and on to the format solved with
        double setup = 0;      ///< checks, preconditioner, right-hand side
        double upload = 0;     ///< vectors to the device; 0 where host memory is computed in
        double solve = 0;      ///< the iteration loop
        double download = 0;   ///< x from the device; 0 likewise
        double write = 0;      ///< x to its file
        double compare = 0;    ///< solving in the other way, with `--solver both`
        double bandwidth = 0;  ///< measuring the read bandwidth
        double total = 0;      ///< since the program was started
    };

    /// The iterations under one preconditioner, of all right-hand sides.
    struct Run {
        std::string preconditioner = {};
        Size iterations = 0;
        double seconds = 0;
        double log_reduction = 0;    ///< of the true residual, summed over right-hand sides ...
        Size column_iterations = 0;  ///< ... and the iterations that these took

        /// What an iteration leaves of the residual, in the geometric mean.
        std::optional<double> convergence_factor() const;
    };

    /// One right-hand side. The figures of one that was never begun are absent.
    struct Column {
        StopReason reason = StopReason::running;
        Evidence evidence = Evidence::none;
        Size iterations = 0;
        std::optional<double> relative_residual = {};
        std::optional<double> recurrence_residual = {};
        std::optional<double> rhs_norm = {};

        bool is_begun() const { return rhs_norm.has_value(); }
    };

    /// What ended the work before it could say for itself how it ended: memory that is not there, a device that failed.
    struct Fault {
        ExitCode code = ExitCode::no_resources;
        std::string message = {};
    };

    RunInfo run = {};
    Matrix matrix = {};
    Backend backend = {};
    Method method = {};
    /// Of all columns: iterations and times are sums. Residuals and norm are the largest of those begun: NaN where one
    /// is, and where none was.
    SolveResult result = {};
    std::vector<Column> columns = {};  ///< one for each right-hand side
    std::vector<Run> runs = {};        ///< one for each preconditioner that was iterated with, in order
    PreconditionerDetails preconditioner = {};
    std::optional<Fault> fault = {};  ///< then result.reason, and that of columns not begun, is `running`
    /// The other way to solve for many right-hand sides, where it was asked for too: one after another.
    struct Comparison {
        Size iterations = 0;
        double relative_residual = 0;
        double seconds = 0;
    };
    std::optional<Comparison> one_by_one = {};
    std::optional<double> error = {};  ///< max |x_i - 1|, where the solution is known to be ones
    Seconds seconds = {};
    std::optional<double> read_bandwidth =
        {};  ///< bytes per second; absent where all that a solve touches fits in cache
    Size peak_memory_bytes = 0;
    std::string solution_path = {};          ///< where x went, or empty
    std::vector<std::string> notes = {};     ///< of the reader and the checks
    std::vector<std::string> failures = {};  ///< outputs that could not be written, and why

    /// Right-hand sides that were begun.
    Size n_begun() const;
    bool is_converged() const { return result.reason == StopReason::converged; }
    /// What the outcome stands for, whatever became of the outputs.
    ExitCode exit_code() const { return fault ? fault->code : exit_code_of(result.reason); }
};

/// "converged", ...; "failed" where a fault kept it from ending.
std::string_view reason_word(StopReason reason);

/// A fault as reports have it.
SolveReport::Fault fault_of(const std::exception& problem);

/// How the command ends: by its outcome. Only where there is nothing else to complain of, by an output that could not
/// be written.
template <class Report>
ExitCode final_exit_code(const Report& report) {
    const ExitCode code = report.exit_code();
    return code == ExitCode::done && !report.failures.empty() ? ExitCode::no_resources : code;
}

/// The parts of the time in order, with the names that people read.
std::vector<std::pair<const char*, double>> time_parts(const SolveReport::Seconds& seconds);

/// What a kernel achieved, from the time of all its calls.
struct KernelRates {
    double gbytes_per_s = 0;
    double gflops = 0;
    std::optional<double> fraction_of_bandwidth = {};
};
KernelRates rates_of(const KernelTime& kernel, std::optional<double> read_bandwidth);

/// What to say of x in its file: of what system, and how the solve ended.
std::string solution_comment(const SolveReport& report);

/// One sentence on how the solve ended: "converged in 312 iterations", "not converged: ...".
std::string outcome(const SolveReport& report);

/// What may help where the solve did not converge; empty where it did. One sentence each, with flags to use.
std::vector<std::string> advice(const SolveReport& report);

}  // namespace stiefel::cli
