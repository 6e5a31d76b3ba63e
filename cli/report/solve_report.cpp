#include "stiefel/cli/report/solve_report.hpp"

#include "stiefel/cli/file_words.hpp"
#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiefel::cli {

std::optional<double> SolveReport::Run::convergence_factor() const {
    if (column_iterations == 0 || !std::isfinite(log_reduction)) return {};
    return std::exp(-log_reduction / static_cast<double>(column_iterations));
}

std::optional<SolveReport::Got> SolveReport::got(const std::string& name) const {
    std::optional<Got> sum;
    for (const Run& one : runs) {
        if (one.preconditioner != name) continue;
        if (!sum) sum.emplace();
        sum->iterations += one.iterations;
        sum->seconds += one.seconds;
    }
    return sum;
}

Size SolveReport::n_begun() const {
    return std::count_if(columns.begin(), columns.end(), [](const Column& column) { return column.is_begun(); });
}

namespace {

/// What a solve that ended as not_positive_definite has seen, and what that says of whom.
std::string seen(Evidence evidence, const std::string& count) {
    switch (evidence) {
        case Evidence::negative_curvature:
            return fmt::format("the matrix is not positive definite: after {} a direction p with p'Ap < 0 was met",
                               count);
        case Evidence::zero_curvature:
            return fmt::format(
                "the matrix is not positive definite, or rounding hides that it is: after {} a direction p was met "
                "with p'Ap = 0 within its rounding error",
                count);
        case Evidence::preconditioner:
            return fmt::format(
                "the preconditioner M is not positive definite: after {} a residual r with r'Mr <= 0 was met", count);
        case Evidence::residual_growth:
            return fmt::format(
                "the matrix is singular to working precision, or indefinite: after {} the residual had grown by 1/eps",
                count);
        case Evidence::none:
        case Evidence::rounding:
        case Evidence::stuck:
            break;
    }
    return "the matrix is not positive definite";
}

/// Where a solve that stagnated stands.
std::string stagnated(const SolveReport& report, const std::string& count) {
    if (report.result.evidence == Evidence::stuck) {
        return fmt::format("not converged: stuck after {} at a residual that rounding does not explain", count);
    }
    return fmt::format("not converged, but as far as {} precision can, after {}", report.method.precision, count);
}

}  // namespace

std::string order_text(const SolveReport::Method& method) {
    if (method.reorder == "none")
        return method.reorder_reason.empty() ? "" : with_reason("as in the file", method.reorder_reason);
    const bool is_rcm = method.reorder == "rcm";
    return with_reason(is_rcm ? "reverse Cuthill-McKee" : "approximate minimum degree", method.reorder_reason);
}

std::string scale_text(const SolveReport& report) {
    if (!report.method.is_scaled()) return "";
    std::string text = with_reason("D A D y = D b, x = D y", report.method.scale_reason);
    if (const Size n = report.scaled_solves_continued; n > 0) {
        text += fmt::format("; solved on {}, as D (b - A x) was small enough before b - A x was",
                            n == 1 ? "once" : fmt::format("{} times", grouped(n)));
    }
    return text;
}

std::string outcome(const SolveReport& report) {
    if (report.fault) return "the solve failed: " + report.fault->message;
    const std::string count = counted(report.result.iterations, "iteration");
    const auto n_converged =
        std::count_if(report.columns.begin(), report.columns.end(),
                      [](const SolveReport::Column& column) { return column.reason == StopReason::converged; });
    const auto n_columns = static_cast<Size>(report.columns.size());
    if (n_columns > 1 && n_converged > 0 && n_converged < n_columns) {
        return fmt::format("not converged: {} of {} columns did, in {}; the others ended as {}", n_converged, n_columns,
                           count, to_string(report.result.reason));
    }
    switch (report.result.reason) {
        case StopReason::converged:
            return n_columns > 1 ? fmt::format("all {} columns converged in {}", n_columns, count)
                                 : "converged in " + count;
        case StopReason::max_iterations:
            return "not converged: all " + count + " are used up";
        case StopReason::stagnated:
            return stagnated(report, count);
        case StopReason::not_finite:
            return fmt::format("not converged: a NaN or infinity appeared after {}", count);
        case StopReason::interrupted:
            return fmt::format("not converged: interrupted after {}", count);
        case StopReason::time_limit:
            return fmt::format("not converged: the time allowed was up after {}", count);
        case StopReason::not_positive_definite:
            return seen(report.result.evidence, count);
        case StopReason::running:
            break;
    }
    return "not run";
}

std::string solution_comment(const SolveReport& report) {
    const SolveReport::Method& method = report.method;
    std::string comment =
        fmt::format("x of A x = b, A: {}, b: {}; {}", report.matrix.path, method.rhs, outcome(report));
    if (report.n_begun() > 0)
        comment += fmt::format(", |b - A x| / |b| = {:.3e}", unsigned_nan(report.result.relative_residual));
    const auto n_columns = static_cast<Size>(report.columns.size());
    if (report.n_begun() < n_columns)
        comment += fmt::format("; {} of {} columns were begun, the others are guesses", report.n_begun(), n_columns);
    return one_line(std::move(comment));
}

std::string residual_text(const SolveReport& report) {
    if (report.n_begun() == 0) return "";
    return fmt::format("|b - A x| / |b| = {:.2e}", unsigned_nan(report.result.relative_residual));
}

std::vector<std::string> advice(const SolveReport& report) {
    std::vector<std::string> help;
    // Where none was chosen by itself, scaling by the diagonal would change nothing.
    const bool unpreconditioned = report.method.preconditioner == "none" &&
                                  report.method.preconditioner_reason.empty() && !report.method.is_scaled();
    const bool single = report.method.precision == "single";
    const double reached = 1.1 * report.result.relative_residual;
    const auto accept = [&] {
        if (reached < 1) help.push_back(fmt::format("accept this residual: --rtol {:.1e}", reached));
    };
    switch (report.result.reason) {
        case StopReason::converged:
        case StopReason::running:
            break;
        case StopReason::max_iterations:
            if (unpreconditioned) help.push_back("scale the system by its diagonal: --preconditioner jacobi");
            help.push_back(
                fmt::format("allow more: --max-iterations {}", 10 * std::max<Size>(1, report.result.iterations)));
            accept();
            break;
        case StopReason::stagnated:
            if (report.result.evidence == Evidence::stuck) {
                if (unpreconditioned) help.push_back("scale the system by its diagonal: --preconditioner jacobi");
                help.push_back("'stiefel info' shows whether the matrix may be indefinite, or singular");
            }
            accept();
            if (single) help.push_back("solve with more digits: --precision double");
            break;
        case StopReason::not_positive_definite:
            help.push_back(
                "no method for positive definite systems applies; 'stiefel info' shows what the matrix is like");
            if (single) help.push_back("where it nearly is, rounding may be to blame: --precision double");
            break;
        case StopReason::not_finite:
            help.push_back("values are so large that products overflow; scale the system");
            if (single) help.push_back("use numbers of a larger range: --precision double");
            break;
        case StopReason::time_limit:
            help.push_back(
                fmt::format("allow more: --time-limit {:.3g}", 10 * std::max(1.0, report.method.time_limit)));
            [[fallthrough]];
        case StopReason::interrupted:
            if (!report.solution_path.empty()) {
                help.push_back(fmt::format("go on from here: --guess {}", report.solution_path));
            }
            break;
    }
    return help;
}

}  // namespace stiefel::cli
