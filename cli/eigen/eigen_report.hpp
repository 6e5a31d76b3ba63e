#pragma once

#include "stiefel/cli/report/computation_report.hpp"
#include "stiefel/cli/report/table.hpp"
#include "stiefel/solver/eigen_result.hpp"

namespace stiefel::cli {

/// All that a search for eigenpairs has to tell, whatever form it is told in.
struct EigenReport : ComputationReport {
    struct Method : ComputationReport::Method {
        std::string name = {};
        std::string which = {};
        Size degree = 0;  ///< of the Chebyshev polynomial; 0 where there is none
        Size guards = 0;
        Size count = 0;
        Size seed = 0;
    };

    Method method = {};
    EigenResult result = {};  ///< after a fault without pairs
    std::string vectors_path = {};

    bool is_converged() const { return result.reason == StopReason::converged; }
    Size n_converged() const;
};

/// One sentence on how it ended: "all 6 pairs converged in 18 iterations".
std::string outcome(const EigenReport& report);

/// "largest residual 9.7e-09"; empty where there are no pairs.
std::string residual_text(const EigenReport& report);

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
