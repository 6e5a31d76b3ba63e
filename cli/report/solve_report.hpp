#pragma once

#include "stiefel/solver/block_solve_result.hpp"
#include "stiefel/solver/solve_result.hpp"

#include <optional>
#include <string>
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
        std::string device = {};  ///< the processor's or accelerator's name
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
    };

    /// Wall-clock. What belongs to none of the parts (starting up, reports) is in the total only.
    struct Seconds {
        double read = 0;       ///< files to memory
        double convert = 0;    ///< to CSR, and on to the format solved with
        double setup = 0;      ///< checks, preconditioner, right-hand side
        double upload = 0;     ///< the system to the device; 0 where host memory is computed in
        double solve = 0;      ///< the iteration loop
        double download = 0;   ///< x from the device; 0 likewise
        double write = 0;      ///< x to its file
        double bandwidth = 0;  ///< measuring the read bandwidth
        double total = 0;      ///< since the program was started
    };

    Matrix matrix = {};
    Backend backend = {};
    Method method = {};
    SolveResult result = {};                 ///< of all columns: iterations and times are sums, residuals the largest
    std::vector<ColumnResult> columns = {};  ///< one for each right-hand side
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

    bool is_converged() const { return result.reason == StopReason::converged; }
};

/// The parts of the time in order, with the names that people read.
std::vector<std::pair<const char*, double>> time_parts(const SolveReport::Seconds& seconds);

/// What a kernel achieved, from the time of all its calls.
struct KernelRates {
    double gbytes_per_s = 0;
    double gflops = 0;
    std::optional<double> fraction_of_bandwidth = {};
};
KernelRates rates_of(const KernelTime& kernel, std::optional<double> read_bandwidth);

/// One sentence on how the solve ended: "converged in 312 iterations", "not converged: ...".
std::string outcome(const SolveReport& report);

/// What may help where the solve did not converge; empty where it did. One sentence each, with flags to use.
std::vector<std::string> advice(const SolveReport& report);

}  // namespace stiefel::cli
