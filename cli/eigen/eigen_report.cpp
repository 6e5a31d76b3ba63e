#include "stiefel/cli/eigen/eigen_report.hpp"

#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace stiefel::cli {

Size EigenReport::n_converged() const {
    return std::count_if(result.pairs.begin(), result.pairs.end(),
                         [](const EigenPair& pair) { return pair.reason == StopReason::converged; });
}

namespace {

/// Where a search that stagnated stands: what rounding leaves of a residual is about eps |A|, whatever the eigenvalue.
std::string stagnated(const EigenReport& report, const std::string& some, const std::string& iterations) {
    const bool single = report.method.precision == "single";
    const double eps = single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    const double reached = report.result.worst_backward_error();
    if (!(reached <= eigen_rounding_reach * eps)) return fmt::format("{}: stuck after {}", some, iterations);
    return fmt::format("{}, the others as far as {} precision can: after {} |A v - lambda v| is at most {:.1e} |A|",
                       some, report.method.precision, iterations, reached);
}

}  // namespace

std::string outcome(const EigenReport& report) {
    if (report.fault) return "the search failed: " + report.fault->message;
    const EigenResult& result = report.result;
    const auto count = static_cast<Size>(result.pairs.size());
    const std::string iterations = counted(result.iterations, "iteration");
    const std::string some = fmt::format("{} of {} converged", report.n_converged(), counted(count, "pair"));
    switch (result.reason) {
        case StopReason::converged:
            if (result.iterations == 0) return fmt::format("{} found by a dense method", counted(count, "pair"));
            return fmt::format("{} converged in {}", counted(count, "pair"), iterations);
        case StopReason::max_iterations:
            return fmt::format("{}: all {} are used up", some, iterations);
        case StopReason::stagnated:
            return stagnated(report, some, iterations);
        case StopReason::not_finite:
            return fmt::format("{}: a NaN or infinity appeared after {}", some, iterations);
        case StopReason::interrupted:
            return fmt::format("{}: interrupted after {}", some, iterations);
        case StopReason::time_limit:
            return fmt::format("{}: the time allowed was up after {}", some, iterations);
        case StopReason::not_positive_definite:
        case StopReason::running:
            break;
    }
    return "not run";
}

std::string residual_text(const EigenReport& report) {
    if (report.result.pairs.empty()) return "";
    return fmt::format("largest residual {:.2e}", unsigned_nan(report.result.worst_residual()));
}

std::string method_text(const EigenReport::Method& method) {
    std::string text = fmt::format("{} in {} precision", method.name, method.precision);
    if (method.name == "lobpcg") {
        text += fmt::format(", preconditioner {}", method.preconditioner);
        if (method.degree > 0) text += fmt::format(" of degree {}", method.degree);
        if (!method.preconditioner_reason.empty()) text += fmt::format(" ({})", method.preconditioner_reason);
    } else if (method.degree > 0) {
        text += fmt::format(" with a Chebyshev filter of degree {}", method.degree);
    }
    return text;
}

std::string wanted_text(const EigenReport::Method& method) {
    return fmt::format("the {} {}", counted(method.count, "eigenpair"),
                       method.which == "magnitude" ? "furthest from 0" : "that are " + method.which);
}

Table pairs_table(const EigenReport& report) {
    Table table{.columns = {{"", 4}, {"eigenvalue", 26}, {"residual", 14}}};
    const bool all = report.n_converged() == static_cast<Size>(report.result.pairs.size());
    if (!all) table.columns.push_back({"ended as", 0, false});
    for (const EigenPair& pair : report.result.pairs) {
        table.rows.push_back({std::to_string(table.rows.size() + 1), fmt::format("{:.16g}", unsigned_nan(pair.value)),
                              format_residual(pair.residual)});
        if (!all) table.rows.back().emplace_back(to_string(pair.reason));
    }
    return table;
}

std::vector<std::string> advice(const EigenReport& report) {
    std::vector<std::string> help;
    const EigenResult& result = report.result;
    const double reached = 1.1 * result.worst_residual();
    const auto accept = [&] {
        if (reached < 1) help.push_back(fmt::format("accept these residuals: --rtol {:.1e}", reached));
    };
    const bool single = report.method.precision == "single";
    switch (result.reason) {
        case StopReason::max_iterations:
            help.push_back(fmt::format("allow more: --max-iterations {}", 10 * std::max<Size>(1, result.iterations)));
            if (report.method.name != "lobpcg")
                help.push_back("take the method that converges fastest: --method lobpcg");
            if (report.method.preconditioner == "shifted-chebyshev") {
                help.push_back(fmt::format("a polynomial of higher degree: --degree {}", 3 * report.method.degree));
            } else if (report.method.name == "lobpcg") {
                help.push_back("a polynomial in A as preconditioner: --preconditioner shifted-chebyshev");
            }
            accept();
            break;
        case StopReason::time_limit:
            help.push_back(
                fmt::format("allow more: --time-limit {:.3g}", 10 * std::max(1.0, report.method.time_limit)));
            break;
        case StopReason::stagnated:
            accept();
            if (single) help.push_back("compute with more digits: --precision double");
            break;
        case StopReason::not_finite:
            help.push_back("look for NaN, infinity and huge values in the matrix: 'stiefel info' shows their range");
            break;
        default:
            break;
    }
    return help;
}

}  // namespace stiefel::cli
