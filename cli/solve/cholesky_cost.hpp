#pragma once

#include "stiefel/preconditioner/cholesky/symbolic.hpp"

#include <algorithm>
#include <optional>

namespace stiefel::cli {

// What a factorisation is expected to take beside iterations: by counts, not by a clock, so that what is decided by it
// is decided alike in every run.

/// Seconds on two cores, as bench/fit_costs fits them to the measurements in costs_on_cores.csv; a test does so again.
struct CostsOnCores {
    static constexpr double compress_nonzero = 1.0e-9;  ///< of A, whose pattern is made a graph, and ...
    static constexpr double compress_row = 4.9e-8;      ///< ... a row of it
    static constexpr double analyse = 6.0e-8;           ///< a vertex or a coupling of that graph ordered and counted
    static constexpr double analyse_any = 1.6e-4;       ///< of that, however small
    static constexpr double factor_flop = 1.1e-11;      ///< of the factorisation, and ...
    static constexpr double factor_nonzero = 6.4e-9;    ///< ... a nonzero of L that is written
    static constexpr double factor_any = 1.8e-4;        ///< of any
    static constexpr double iteration_wait = 5.1e-6;    ///< of an iteration, in which threads wait for each other
    static constexpr double iteration_byte = 2.3e-11;   ///< that it moves in a cache
};

/// Of A's pattern made a graph, and of that graph ordered and analysed.
constexpr double compression_seconds(Index n_rows, Size nnz) {
    return CostsOnCores::compress_nonzero * static_cast<double>(nnz) + CostsOnCores::compress_row * n_rows;
}
inline double analysis_seconds(double vertices_and_couplings) {
    return CostsOnCores::analyse * vertices_and_couplings + CostsOnCores::analyse_any;
}
inline double vertices_and_couplings(const cholesky::Graph& graph) {
    return static_cast<double>(graph.adjacent.size()) + graph.n;
}
inline double analysis_seconds(const cholesky::Graph& graph) {
    return analysis_seconds(vertices_and_couplings(graph));
}
/// Of both, before there is a graph. rows_alike: cholesky::rows_like_the_last of A.
inline double seconds_before_factor(Index n_rows, Size nnz, Index rows_alike) {
    const double vertices_of_rows = 1 - static_cast<double>(rows_alike) / std::max(n_rows, 1);
    return compression_seconds(n_rows, nnz) +
           analysis_seconds(static_cast<double>(nnz) * vertices_of_rows * vertices_of_rows);
}
template <class T>
double seconds_before_factor(const HostCsr<T>& a) {
    return seconds_before_factor(a.n_rows, a.nnz(), cholesky::rows_like_the_last(a));
}

/// Of the factor, and of two applications.
constexpr double factor_seconds(const cholesky::Prediction& prediction) {
    constexpr double applications = 2e-9;  // of L's nonzeros
    return CostsOnCores::factor_flop * prediction.flops +
           (CostsOnCores::factor_nonzero + applications) * prediction.nonzeros + CostsOnCores::factor_any;
}

/// On a device beside the factor, of a run that the host leads: few iterations, each of which waits for both (H200, 0.3
/// to 0.6 ms).
inline constexpr double seconds_led_by_host = 4e-4;

struct SecondsOfCholesky {
    double left;
    bool is_exact;
};

/// Of what is left to do once A is analysed: the factor, and half as much again, as what is to be expected may be too
/// much.
constexpr SecondsOfCholesky seconds_of_analysed(const cholesky::Prediction& prediction) {
    constexpr double caution = 1.5;
    return {caution * factor_seconds(prediction), true};
}

/// Of what is left to do before. It is known by the analysis, which is kept, and is made where it takes at most a
/// quarter of the time that is to be expected, three fifths of it where that is the least. graph(): makes A's graph,
/// gives its vertices and couplings; prediction(): analyses it; each is called at most once, and `known` is what
/// graph() gave.
template <class MakeGraph, class Predict>
SecondsOfCholesky seconds_of_cholesky(double before_factor, double expected, bool at_least,
                                      std::optional<double>& known, const MakeGraph& graph, const Predict& prediction) {
    const double share = at_least ? 5.0 / 3 : 4;
    if (!known) {
        const double guess = (at_least ? 1 : share) * before_factor;  // too much as a rule
        if (guess > expected) return {guess, false};
        known = graph();
    }
    const double analysis = analysis_seconds(*known);
    if (share * analysis > expected) return {share * analysis, false};
    return seconds_of_analysed(prediction());
}

/// Of an iteration that moves so many bytes: small systems stay in a cache, others move them at the memory's rate.
constexpr double iteration_seconds(double bytes) {
    constexpr double in_cache = 3.2e7, byte_of_memory = 5e-11;
    return CostsOnCores::iteration_wait + bytes * (bytes < in_cache ? CostsOnCores::iteration_byte : byte_of_memory);
}

}  // namespace stiefel::cli
