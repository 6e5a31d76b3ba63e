#pragma once

#include "stiefel/cli/operator_input.hpp"
#include "stiefel/cli/outputs.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/larger_or_nan.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/io/vector_files.hpp"
#include "stiefel/solver/operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiefel::cli {

// Steps of a solve, in one process and on several ranks.

template <class T, class B>
VectorOf<B, T> filled(B& backend, Size n, T value) {
    auto vector = make_vector<T>(backend, n);
    fill(backend, value, vector);
    return vector;
}

/// A times ones.
template <class T, class B, class A>
VectorOf<B, T> consistent_rhs(B& backend, const A& a, Size n) {
    const auto ones = filled(backend, n, T{1});
    auto b = filled(backend, n, T{0});
    spmv(backend, a, ones, b, T{1}, T{0});
    return b;
}

/// The same of D A D, whose solution is D^-1 times ones.
template <class T, class B, class A>
VectorOf<B, T> consistent_rhs(B& backend, const A& a, Size n, const HostVector<T>& scale) {
    if (scale.empty()) return consistent_rhs<T>(backend, a, n);
    HostVector<T> y(n, T{1});
    divide_by(scale, y);
    auto on_backend = filled(backend, n, T{0}), b = filled(backend, n, T{0});
    upload(backend, y, on_backend);
    spmv(backend, a, on_backend, b, T{1}, T{0});
    return b;
}

/// max |x_i - 1|; NaN if an x_i is.
template <class T>
double max_error_against_ones(const HostVector<T>& x) {
    double error = 0;
    for (const T value : x) error = larger_or_nan(error, std::abs(static_cast<double>(value) - 1));
    return error;
}

template <class T>
Size count_not_finite(const HostVector<T>& x) {
    return std::count_if(x.begin(), x.end(), [](T value) { return !std::isfinite(value); });
}

template <class T>
void write_solution(const HostVector<T>& x, const SolveOptions& options, SolveReport& report, StatusLine& status) {
    if (options.output.empty()) return;
    const Stopwatch watch;
    status.show(fmt::format("writing {}", options.output));
    try_output("--output", report.failures, [&] {
        if (report.fault && report.n_begun() == 0 && options.guess.empty())
            throw Error("not written, as nothing was solved");
        stiefel::write_vectors<T>(
            options.output, static_cast<Index>(report.matrix.n_rows), static_cast<Index>(report.columns.size()),
            x.span(),
            {.threads = report.backend.threads, .comments = {solution_comment(report)}, .allow_not_finite = true});
        report.solution_path = options.output;
    });
    if (const Size n_wrong = count_not_finite(x); n_wrong > 0 && !report.solution_path.empty()) {
        report.notes.push_back(fmt::format(
            "{}: {} of x are NaN or infinite; most programs, this one among them, will refuse to read the file",
            options.output, counted(n_wrong, "element")));
    }
    report.seconds.write = watch.seconds();
    status.clear();
}

/// From norms of A and b divided by 2^exponent to those of A and b.
inline void scale_norms(int exponent, SolveReport& report) {
    report.result.rhs_norm = std::ldexp(report.result.rhs_norm, exponent);
    if (auto& accuracy = report.result.accuracy) accuracy->matrix_norm = std::ldexp(accuracy->matrix_norm, exponent);
    for (SolveReport::Column& column : report.columns) {
        if (column.rhs_norm) column.rhs_norm = std::ldexp(*column.rhs_norm, exponent);
    }
}

/// What is known of the method before anything is read.
inline SolveReport::Method asked_method(const SolveOptions& options) {
    SolveReport::Method method;
    report_asked(options, method);
    method.solver = word_of<SolverWord>(options.solver, solver_choices);
    method.rhs = options.rhs;
    method.guess = options.guess;
    method.atol = options.atol;
    return method;
}

}  // namespace stiefel::cli
