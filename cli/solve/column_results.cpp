#include "stiefel/cli/solve/column_results.hpp"

#include "stiefel/core/larger_or_nan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiefel::cli {

namespace {

/// Takes a kernel's times into those of earlier runs. What a call moves differs where the preconditioner was changed.
void add_kernels(const std::vector<KernelTime>& from, std::vector<KernelTime>& to) {
    for (const KernelTime& kernel : from) {
        const auto same = std::find_if(to.begin(), to.end(), [&](const auto& k) { return k.name == kernel.name; });
        if (same == to.end()) {
            to.push_back(kernel);
            continue;
        }
        const auto before = static_cast<double>(same->calls), now = static_cast<double>(kernel.calls);
        const auto mean = [&](double a, double b) { return (before * a + now * b) / std::max(1.0, before + now); };
        same->work = {.bytes = mean(same->work.bytes, kernel.work.bytes),
                      .flops = mean(same->work.flops, kernel.work.flops)};
        same->calls += kernel.calls;
        same->seconds += kernel.seconds;
    }
}

template <class Result>
void add_work(const Result& result, bool continues, SolveReport& report) {
    SolveReport::Run& run = report.runs.back();
    run.iterations += result.iterations;
    run.seconds += result.seconds;
    SolveResult& sum = report.result;
    sum.iterations += result.iterations;
    sum.restarts += result.restarts;
    sum.seconds += result.seconds;
    add_kernels(result.kernels, sum.kernels);
    const bool repeats = continues && !result.history.empty();
    sum.history.insert(sum.history.end(), result.history.begin() + (repeats ? 1 : 0), result.history.end());
}

template <class Result>
void add_reduction(const Result& column, SolveReport::Run& run) {
    if (column.iterations == 0) return;
    run.log_reduction += std::log(column.initial_residual / column.relative_residual);
    run.column_iterations += column.iterations;
}

template <class Result>
void add_column(const Result& column, Size iterations_before, SolveReport& report) {
    report.columns.push_back({.reason = column.reason,
                              .evidence = column.evidence,
                              .iterations = iterations_before + column.iterations,
                              .relative_residual = column.relative_residual,
                              .recurrence_residual = column.recurrence_residual,
                              .rhs_norm = column.rhs_norm,
                              .accuracy = column.accuracy});
}

/// NaN if one is, or if none was computed.
double largest(const std::vector<SolveReport::Column>& columns, std::optional<double> SolveReport::Column::*figure) {
    std::optional<double> most;
    for (const SolveReport::Column& column : columns) {
        if (const auto& value = column.*figure) most = most ? larger_or_nan(*most, *value) : *value;
    }
    return most.value_or(std::numeric_limits<double>::quiet_NaN());
}

/// The worst of those begun, figure by figure; absent where one is.
std::optional<Accuracy> worst_accuracy(const std::vector<SolveReport::Column>& columns) {
    std::optional<Accuracy> worst;
    for (const SolveReport::Column& column : columns) {
        if (!column.is_begun()) continue;
        if (!column.accuracy) return {};
        if (!worst) worst = column.accuracy;
        worst->backward_error = larger_or_nan(worst->backward_error, column.accuracy->backward_error);
        worst->attainable_residual = larger_or_nan(worst->attainable_residual, column.accuracy->attainable_residual);
    }
    return worst;
}

}  // namespace

void begin_run(std::string_view preconditioner, SolveReport& report) {
    report.runs.push_back({.preconditioner = std::string(preconditioner)});
}

void add_run(const SolveResult& result, bool continues, SolveReport& report) {
    add_work(result, continues, report);
    report.seconds.sample += sampling_seconds(result);
    SolveReport::Run& run = report.runs.back();
    add_reduction(result, run);
    run.ritz = joined(run.ritz, result.ritz);
}

void add_run(const BlockSolveResult& result, bool continues, SolveReport& report) {
    add_work(result, continues, report);
    SolveReport::Run& run = report.runs.back();
    for (const ColumnResult& column : result.columns) add_reduction(column, run);
    run.ritz = joined(run.ritz, result.ritz);
}

void add_columns(const SolveResult& last, Size iterations_before, SolveReport& report) {
    add_column(last, iterations_before, report);
}

void add_columns(const BlockSolveResult& last, Size iterations_before, SolveReport& report) {
    for (const ColumnResult& column : last.columns) add_column(column, iterations_before, report);
}

void end_columns(Index n_columns, StopReason why, SolveReport& report) {
    using Column = SolveReport::Column;
    report.columns.resize(static_cast<std::size_t>(n_columns), {.reason = why});
    SolveResult& sum = report.result;
    sum.relative_residual = largest(report.columns, &Column::relative_residual);
    sum.recurrence_residual = largest(report.columns, &Column::recurrence_residual);
    sum.rhs_norm = largest(report.columns, &Column::rhs_norm);
    sum.accuracy = worst_accuracy(report.columns);
    if (!report.runs.empty()) sum.ritz = report.runs.back().ritz;
    sum.reason = StopReason::converged;
    for (const Column& column : report.columns) {
        if (column.evidence == Evidence::negative_curvature) sum.ritz.reset();  // there is no condition to tell of
        if (column.reason == StopReason::converged) continue;
        sum.reason = column.reason;
        sum.evidence = column.evidence;
    }
}

}  // namespace stiefel::cli
