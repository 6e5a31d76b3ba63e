#include "stiefel/cli/report/preconditioner_parts.hpp"

#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

namespace stiefel::cli {

namespace {

std::string factor_text(const SolveReport::Run& run) {
    const auto factor = run.convergence_factor();
    return factor ? format_rate(*factor) : "-";
}

}  // namespace

std::string runs_text(const SolveReport& report) {
    if (report.runs.size() == 1) {
        const bool iterated = report.runs.front().convergence_factor().has_value();
        return iterated ? fmt::format("convergence factor {} an iteration", factor_text(report.runs.front())) : "";
    }
    std::string text;
    for (const SolveReport::Run& run : report.runs) {
        text += fmt::format("{}{}: {}, convergence factor {}", text.empty() ? "" : "; ", run.preconditioner,
                            counted(run.iterations, "iteration"), factor_text(run));
    }
    return text;
}

Table weighed_table(const SolveReport& report) {
    Table table{.columns = {{"weighed", 11},
                            {"expected", 11},
                            {"iterations", 12},
                            {"set-up", 10},
                            {"took", 10},
                            {"iterations", 12},
                            {"set-up", 10}}};
    if (weighed_text(report).empty()) return table;
    const auto seconds = [](const std::optional<double>& of) { return of ? format_seconds(*of) : ""; };
    for (const WeighedPreconditioner& one : report.weighed) {
        const auto got = report.got(one.name);
        const std::string bound = one.at_least ? "> " : "";
        const auto expected = one.expected_seconds ? bound + seconds(one.expected_seconds) : "";
        const auto as_long_as = one.as_long_as ? bound + grouped(std::llround(*one.as_long_as)) : "not weighed";
        table.rows.push_back({one.name, expected, as_long_as, seconds(one.expected_setup_seconds),
                              got ? format_seconds(got->seconds + one.setup_seconds.value_or(0)) : "",
                              got ? grouped(got->iterations) : "", got ? seconds(one.setup_seconds) : ""});
    }
    return table;
}

std::string weighed_text(const SolveReport& report) {
    const auto& list = report.weighed;
    if (list.empty() || !list.front().after) return "";
    const std::string first = list.front().name == "none" ? "no" : list.front().name;
    if (*list.front().after == 0) {
        return fmt::format("expected before the first iteration: until the end, also as so many with {} preconditioner",
                           first);
    }
    return fmt::format("expected after {} with {} preconditioner: until the end, also as so many of these",
                       counted(*list.front().after, "iteration"), first);
}

Table levels_table(const PreconditionerDetails& about) {
    Table table{.columns = {{"level", 11},
                            {"rows", 12},
                            {"nonzeros", 14},
                            {"a row", 8},
                            {"visits", 8},
                            {"memory", 11},
                            {"set-up", 11}}};
    for (std::size_t l = 0; l < about.levels.size(); ++l) {
        const auto& level = about.levels[l];
        const double per_row = level.rows > 0 ? static_cast<double>(level.nonzeros) / level.rows : 0;
        table.rows.push_back({std::to_string(l + 1), grouped(level.rows), grouped(level.nonzeros),
                              fmt::format("{:.3g}", per_row), std::to_string(level.visits), format_bytes(level.bytes),
                              format_seconds(level.seconds)});
    }
    return table;
}

std::string multigrid_text(const PreconditionerDetails::Multigrid& parts) {
    const std::string coarsening = parts.coarsening.empty() ? "" : fmt::format("{} coarsening, ", parts.coarsening);
    const std::string trial = parts.trial ? fmt::format(" by a trial (x'Ax / x'x = {:.1e})", *parts.trial) : "";
    return fmt::format("{}{} smoother, {}-cycle, {} a node, near null space: {}, in {} precision{}", coarsening,
                       parts.smoother, parts.cycle, counted(parts.block_size, "unknown"), parts.near_null_space,
                       parts.precision, trial);
}

std::string complexity_text(const PreconditionerDetails& about) {
    return fmt::format("operator complexity {:.2f}, grid complexity {:.2f}, {} in all", about.operator_complexity(),
                       about.grid_complexity(), format_bytes(about.bytes));
}

std::vector<std::pair<const char*, double>> setup_times(const PreconditionerDetails& about) {
    std::vector<std::pair<const char*, double>> times;
    for (const auto& step : about.setup) times.emplace_back(step.name, step.seconds);
    return times;
}

std::vector<std::string> setup_parts(const PreconditionerDetails& about) {
    std::vector<std::string> parts;
    for (const auto& step : about.setup) {
        if (step.seconds > 0) parts.push_back(fmt::format("{} {}", step.name, format_seconds(step.seconds)));
    }
    return parts;
}

std::string factorisation_text(const PreconditionerDetails::Factorisation& about) {
    const std::string shift =
        about.shift > 0 ? fmt::format("; there was none of A itself: diag(A) was added {:.2g} times", about.shift) : "";
    const std::string parts =
        about.supernodes > 0 ? fmt::format(", {}, {:.3g} flops", counted(about.supernodes, "supernode"), about.flops)
                             : fmt::format(", {}", counted(about.level_sets, "level set"));
    return fmt::format("order: {}; {} nonzeros in L{}{}", about.ordering, grouped(about.nonzeros), parts, shift);
}

std::string sparse_inverse_text(const PreconditionerDetails::SparseInverse& about) {
    const std::string pattern = about.steps > 0   ? fmt::format("rows grown in {}", counted(about.steps, "step"))
                                : about.power > 1 ? fmt::format("pattern of A^{}", about.power)
                                                  : "pattern of A";
    const std::string jacobi =
        about.jacobi_rows > 0
            ? fmt::format("; the local systems of {} are not positive definite: these have the diagonal alone",
                          counted(about.jacobi_rows, "row"))
            : "";
    return fmt::format("{}; {} nonzeros in G{}", pattern, grouped(about.nonzeros), jacobi);
}

std::string blocks_text(const PreconditionerDetails::Blocks& about) {
    const std::string jacobi =
        about.jacobi_blocks > 0
            ? fmt::format("; {} not positive definite: the rows have the diagonal alone",
                          about.jacobi_blocks == 1 ? "1 is" : fmt::format("{} are", grouped(about.jacobi_blocks)))
            : "";
    return fmt::format("{} {}, of {:.3g} rows in the mean, {} at most{}", counted(about.number, "block"),
                       about.are_found ? "found" : "given", about.mean(), about.largest, jacobi);
}

namespace {

/// What there is to tell of a preconditioner that is a factor, and not a hierarchy.
struct OneMatrix {
    const char* heading;
    const char* label;
    std::string text;
};

std::optional<OneMatrix> one_matrix(const PreconditionerDetails& about) {
    if (about.sparse_inverse) {
        return OneMatrix{"Sparse approximate inverse", "inverse", sparse_inverse_text(*about.sparse_inverse)};
    }
    if (about.blocks) return OneMatrix{"Blocks", "blocks", blocks_text(*about.blocks)};
    if (about.factorisation) return OneMatrix{"Factorisation", "factor", factorisation_text(*about.factorisation)};
    return {};
}

}  // namespace

void add_preconditioner(HtmlPage& page, const PreconditionerDetails& about) {
    if (const auto one = one_matrix(about)) {
        page.heading(one->heading);
        page.paragraph(fmt::format("{}, {}.", one->text, format_bytes(about.bytes)));
    } else if (!about.levels.empty()) {
        page.heading("Levels");
        if (about.multigrid) page.paragraph(multigrid_text(*about.multigrid) + ".");
        page.table(levels_table(about));
        page.paragraph(complexity_text(about) + ".");
    } else {
        return;
    }
    page.heading("Set-up of the preconditioner");
    page.times(setup_times(about), about.seconds);
}

void add_preconditioner(LabelledLines& page, const PreconditionerDetails& about) {
    if (const auto one = one_matrix(about)) {
        page.add(one->label, one->text);
        page.add("", format_bytes(about.bytes));
        page.blank();
        return;
    }
    if (about.levels.empty()) return;
    if (about.multigrid) page.add("multigrid", multigrid_text(*about.multigrid));
    add_table(page, levels_table(about));
    page.add("", complexity_text(about));
    page.blank();
}

}  // namespace stiefel::cli
