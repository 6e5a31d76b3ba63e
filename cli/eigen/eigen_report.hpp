#pragma once

#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/cli/report/table.hpp"
#include "stiefel/solver/eigen_result.hpp"

namespace stiefel::cli {

/// All that a search for eigenpairs has to tell, whatever form it is told in.
struct EigenReport {
    struct Method {
        std::string name = {};
        std::string which = {};
        std::string preconditioner = {};
        std::string preconditioner_reason = {};  ///< why, if it was chosen automatically
        Size degree = 0;                         ///< of the Chebyshev polynomial; 0 where there is none
        Size guards = 0;
        std::string precision = {};
        std::string kernel = {};
        std::string kernel_reason = {};
        Size count = 0;
        double rtol = 0;
        Size max_iterations = 0;
        double time_limit = std::numeric_limits<double>::infinity();  ///< seconds
        Size seed = 0;
    };

    RunInfo run = {};
    SolveReport::Matrix matrix = {};
    SolveReport::Backend backend = {};
    Method method = {};
    PreconditionerDetails preconditioner = {};
    EigenResult result = {};
    SolveReport::Seconds seconds = {};
    std::optional<double> read_bandwidth = {};
    Size peak_memory_bytes = 0;
    std::string vectors_path = {};
    std::vector<std::string> notes = {};
    std::vector<std::string> failures = {};
    std::optional<SolveReport::Fault> fault = {};  ///< then there are no pairs, and result.reason is `running`

    bool is_converged() const { return result.reason == StopReason::converged; }
    /// What the outcome stands for, whatever became of the outputs.
    ExitCode exit_code() const { return fault ? fault->code : exit_code_of(result.reason); }
    Size n_converged() const;
};

/// One sentence on how it ended: "all 6 pairs converged in 18 iterations".
std::string outcome(const EigenReport& report);

/// What may help where not all pairs converged; empty where they did.
std::vector<std::string> advice(const EigenReport& report);

/// The report for people, at most `width` columns wide.
std::string report_text(const EigenReport& report, int width);

/// The report as one HTML page that needs nothing else, with result.history plotted.
std::string html_text(const EigenReport& report);

/// A row for each pair: value and true residual, and how it ended where not all converged.
Table pairs_table(const EigenReport& report);

/// "lobpcg in double precision, preconditioner jacobi, ...".
std::string method_text(const EigenReport::Method& method);

/// "the 6 eigenpairs that are smallest".
std::string wanted_text(const EigenReport::Method& method);

/// The report for programs: the contract of docs/cli.md.
std::string json_text(const EigenReport& report);

}  // namespace stiefel::cli
