#include "stiefel/cli/info/preconditioner_trials.hpp"

#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/preconditioner_words.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/solve/cholesky_cost.hpp"
#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/cli/solve/solve_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

namespace stiefel::cli {

namespace {

/// From the system's files to x and back: how long that took, and how it ended.
void read_off(const SolveReport& report, PreconditionerTrial& trial) {
    trial.ended = reason_word(report.result.reason);
    if (report.fault) {
        trial.ended = "failed";
        trial.why = report.fault->message;
    }
    trial.converged = report.is_converged() && !report.fault;
    trial.setup_seconds = report.preconditioner.seconds;
    trial.solve_seconds = std::max(0.0, report.seconds.setup + report.seconds.solve - trial.setup_seconds);
    trial.iterations = report.result.iterations;
    trial.bytes = report.preconditioner.bytes;
    if (report.n_begun() > 0) trial.residual = report.result.relative_residual;
    if (trial.name != "auto") return;
    for (const auto& run : report.runs) {
        trial.taken += fmt::format("{}{} {}", trial.taken.empty() ? "" : " + ", run.preconditioner, run.iterations);
    }
}

PreconditionerTrial tried(const SolveOptions& options, std::string_view name, StatusLine& status) {
    PreconditionerTrial trial{.name = std::string(name)};
    try {
        read_off(solve_system<double>(options, status), trial);
    } catch (const UsageError& problem) {  // not on this backend
        trial.ended = "not tried";
        trial.why = problem.what();
    } catch (const std::exception& problem) {
        trial.ended = "refused";
        trial.why = message_of(problem);
    }
    status.clear();
    return trial;
}

/// Why a factorisation is left out.
std::string too_long(double seconds, const PreconditionerTrial* best) {
    std::string text = fmt::format("its set-up was to take {}", format_seconds(seconds));
    if (best == nullptr) return text;
    return text + fmt::format(", {} times as long as {} altogether", grouped(std::llround(seconds / best->seconds())),
                              best->name);
}

}  // namespace

double expected_seconds_of_cholesky(const HostCsr<double>& a, double time_limit) {
    const double compression = compression_seconds(a.n_rows, a.nnz());
    if (compression > time_limit) return compression;
    cholesky::CompressedGraph groups = cholesky::compressed_graph(a);
    const double analysis = analysis_seconds(groups.graph);
    if (compression + analysis > time_limit) return compression + analysis;
    return compression + analysis + factor_seconds(cholesky::Analysis(std::move(groups)).prediction());
}

std::vector<PreconditionerTrial> try_preconditioners(const std::string& matrix, bool cache, const TrialWords& words,
                                                     double seconds_of_cholesky, StatusLine& status) {
    constexpr double patience = 20, at_least = 1;
    SolveOptions options;
    static_cast<BackendWords&>(options) = words;
    options.matrix = matrix;
    options.cache = cache;
    options.rhs = "random";
    options.rtol = words.rtol;
    std::vector<PreconditionerTrial> trials;
    double best = words.time_limit;
    for (const auto& [name, word] : preconditioner_choices()) {
        if (InterruptGuard::requested()) break;
        options.time_limit = std::min(words.time_limit, patience * best + at_least);
        if (word == PreconditionerWord::cholesky && seconds_of_cholesky > options.time_limit) {
            trials.push_back({.name = std::string(name),
                              .ended = "not tried",
                              .why = too_long(seconds_of_cholesky, fastest(trials))});
            continue;
        }
        options.preconditioner = word;
        trials.push_back(tried(options, name, status));
        if (trials.back().converged) best = std::min(best, trials.back().seconds());
    }
    return trials;
}

}  // namespace stiefel::cli
