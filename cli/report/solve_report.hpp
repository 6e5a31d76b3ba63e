#pragma once

#include "stiefel/cli/report/computation_report.hpp"
#include "stiefel/cli/report/weighed_preconditioner.hpp"
#include "stiefel/solver/solve_result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stiefel::cli {

/// All that a solve has to tell.
struct SolveReport : ComputationReport {
    struct Method : ComputationReport::Method {
        std::string solver = "cg";
        std::string rhs = {};             ///< as asked for: "ones", a path, ...
        std::string guess = {};           ///< path, or empty
        std::string reorder = "none";     ///< the order that rows are solved in: "none", "rcm", "amd"
        std::string reorder_reason = {};  ///< what came of it, or why rows stay; empty if nothing is to say
        std::string scale = "none";       ///< what is solved instead of A x = b: "none" of it, "diagonal"
        std::string scale_reason = {};    ///< what that did; empty where nothing is scaled
        double atol = 0;

        bool is_scaled() const { return scale != "none"; }
    };

    /// The iterations under one preconditioner, of all right-hand sides.
    struct Run {
        std::string preconditioner = {};
        Size iterations = 0;
        double seconds = 0;
        double log_reduction = 0;               ///< of the true residual, summed over right-hand sides ...
        Size column_iterations = 0;             ///< ... and the iterations that these took
        std::optional<RitzExtremes> ritz = {};  ///< of all columns

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
        std::optional<Accuracy> accuracy = {};

        bool is_begun() const { return rhs_norm.has_value(); }
    };

    /// The other way to solve for many right-hand sides, where it was asked for too: one after another.
    struct Comparison {
        Size iterations = 0;
        double relative_residual = 0;
        double seconds = 0;
    };

    Method method = {};
    /// Of all columns: iterations and times are sums. Residuals and norm are the largest of those begun: NaN where one
    /// is, and where none was; so are the figures of accuracy. After a fault its reason, and that of columns not begun,
    /// is `running`.
    SolveResult result = {};
    std::vector<Column> columns = {};                 ///< one for each right-hand side
    std::vector<Run> runs = {};                       ///< one for each preconditioner that was iterated with, in order
    std::vector<WeighedPreconditioner> weighed = {};  ///< by `auto`, where others might follow; the first one first
    /// Times that a scaled system was solved further, as the residual of A x = b was larger than its own.
    Size scaled_solves_continued = 0;
    std::optional<Comparison> one_by_one = {};
    std::optional<double> error = {};  ///< max |x_i - 1|, where the solution is known to be ones
    std::string solution_path = {};    ///< where x went, or empty

    /// All iterations with a preconditioner and their seconds; nothing where it was not iterated with.
    struct Got {
        Size iterations = 0;
        double seconds = 0;
    };
    std::optional<Got> got(const std::string& preconditioner) const;

    /// Right-hand sides that were begun.
    Size n_begun() const;
    bool is_converged() const { return result.reason == StopReason::converged; }
};

/// What to say of x in its file: of what system, and how the solve ended.
std::string solution_comment(const SolveReport& report);

/// One sentence on how the solve ended: "converged in 312 iterations", "not converged: ...".
std::string outcome(const SolveReport& report);

/// In which order rows were solved, and what came of it; empty where nothing is to say.
std::string order_text(const SolveReport::Method& method);

/// How the system was scaled, and what came of it; empty where it was not.
std::string scale_text(const SolveReport& report);

/// "|b - A x| / |b| = 9.7e-09"; empty where no column was begun.
std::string residual_text(const SolveReport& report);

/// What may help where the solve did not converge; empty where it did. One sentence each, with flags to use.
std::vector<std::string> advice(const SolveReport& report);

}  // namespace stiefel::cli
