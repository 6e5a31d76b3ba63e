#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/problems/random.hpp"
#include "stiefel/spmv/convert.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

namespace stiefel::bench {

// What the drivers of other solvers share: bench/time_to_solution runs each on one system and reads the line it prints.

inline constexpr double tolerance = 1e-8;
/// A peer whose own test ends too early goes on from its x, at most so often.
inline constexpr int most_runs = 6;

/// A x = b with the matrix of a file and the right-hand side of `stiefel solve --rhs random`.
struct System {
    HostCsr<double> a;
    HostVector<double> b;

    explicit System(const std::string& path) {
        OpenMP backend;
        a = csr_from_coo(backend, std::move(read_matrix<double>(path, {.threads = backend.threads()}).coo)).csr;
        b = HostVector<double>(a.n_rows);
        const RandomRow random(1, 0);
        for (Index i = 0; i < a.n_rows; ++i) b[i] = 2 * random.uniform(i) - 1;
    }

    /// Offsets as the peers take them.
    const std::int32_t* row_ptr() const {
        return a.row_ptr.visit([](const auto* offsets) -> const std::int32_t* {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(*offsets)>, std::int32_t>) return offsets;
            throw Error("more nonzeros than 32 bits count");
        });
    }

    /// |b - A x| / |b|
    double residual(const double* x) const {
        double sum = 0, norm = 0;
        const std::int32_t* const offsets = row_ptr();
#pragma omp parallel for reduction(+ : sum, norm)
        for (Index i = 0; i < a.n_rows; ++i) {
            double r = b[i];
            for (std::int32_t k = offsets[i]; k < offsets[i + 1]; ++k) r -= a.values[k] * x[a.col_idx[k]];
            sum += r * r;
            norm += b[i] * b[i];
        }
        return std::sqrt(sum / norm);
    }
};

inline void print_result(double setup, double solve, long iterations, double residual) {
    std::printf("{\"setup\": %.6f, \"solve\": %.6f, \"iterations\": %ld, \"residual\": %.3e}\n", setup, solve,
                iterations, residual);
}

}  // namespace stiefel::bench
