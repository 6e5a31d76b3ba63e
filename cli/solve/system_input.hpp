#pragma once

#include "stiefel/analysis/infinity_norm.hpp"
#include "stiefel/cli/matrix_input.hpp"
#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/cli/solve/suitability.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/row_statistics.hpp"

#include <cmath>
#include <string_view>
#include <utility>

namespace stiefel::cli {

inline constexpr std::string_view cg_needs = "conjugate gradients need";

/// A system as its files hold it; b is divided by 2^matrix.exponent as the matrix is, which leaves x as it is.
template <class T>
struct SystemFiles {
    MatrixSource<T> matrix = {};
    Index n_columns = 1;       ///< of b, and of the guess
    HostVector<T> b = {};      ///< column after column; empty if it is to be A times ones
    HostVector<T> guess = {};  ///< column after column; empty if it is zeros
    DenseArray<double> coordinates = {};
};

/// Reads what the options name. Adds to the report's times. Throws what the reader throws, and
/// UnsuitableInput.
template <class T>
SystemFiles<T> read_system(OpenMP& host, const SolveOptions& options, SolveReport& report, StatusLine& status);

/// A system that conjugate gradients can be asked to solve, the matrix where it will be multiplied.
template <class T, class Memory>
struct SystemInput {
    Csr<T, Memory> a = {};
    RowStatistics rows = {};  ///< of a
    double norm = 0;          ///< infinity_norm of a; 0 where it is not a number
    int exponent = 0;         ///< a and b are what was read, divided by 2^exponent
    Index n_columns = 1;
    HostVector<T> b = {};
    HostVector<T> guess = {};
    DenseArray<double> coordinates = {};  ///< of nodes; empty if they are not told
    PreconditionerChoice preconditioner = {};
};

/// Makes the matrix and checks it. Fills in the report's matrix, notes and times. Throws UnsuitableInput and
/// NotPositiveDefinite.
template <class T, class B>
SystemInput<T, typename B::memory> make_system(B& backend, OpenMP& host, SystemFiles<T> files,
                                               const SolveOptions& options, SolveReport& report, StatusLine& status) {
    auto& maker = matrix_maker(backend, host);
    const int exponent = files.matrix.exponent;
    SystemInput<T, typename B::memory> system{
        .a = symmetric_csr(maker, host, std::move(files.matrix), options.matrix, cg_needs, report.matrix,
                           report.seconds, report.notes, status),
        .exponent = exponent,
        .n_columns = files.n_columns,
        .b = std::move(files.b),
        .guess = std::move(files.guess),
        .coordinates = std::move(files.coordinates)};
    const Stopwatch watch;
    system.preconditioner =
        check_diagonal(diagonal_entries(maker, system.a), system.a.n_rows, options.matrix, options.preconditioner);
    system.rows = row_statistics(maker, system.a);
    if (const double norm = infinity_norm(maker, system.a); std::isfinite(norm)) system.norm = norm;
    report.seconds.setup += watch.seconds();
    return system;
}

}  // namespace stiefel::cli
