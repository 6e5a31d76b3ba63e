#pragma once

#include "stiefel/preconditioner/shifted_chebyshev.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/lobpcg.hpp"
#include "stiefel/solver/power_iteration.hpp"
#include "stiefel/spmv/spmm.hpp"
#include "support/columns.hpp"
#include "support/csr_checks.hpp"
#include "support/matrices.hpp"
#include "support/slow_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace stiefel::test {

// What eigensolvers are held to, for any backend. A test on a device calls these with its own backend.

enum class Method { lobpcg, lobpcg_jacobi, lobpcg_chebyshev, filtered, plain, power };

template <class T>
HostCsr<T> brought(Serial&, const HostCsr<T>& a) {
    return with_wide_offsets(a);
}
template <class T>
HostCsr<T> brought(OpenMP&, const HostCsr<T>& a) {
    return with_wide_offsets(a);
}
template <class T>
DeviceCsr<T> brought(Cuda& backend, const HostCsr<T>& a) {
    return to_device(backend, a);
}

template <class T>
struct Eigenpairs {
    EigenResult result;
    HostVector<T> vectors;  ///< n x k, row-major
};

/// From the start block on the host to vectors on the host.
template <class T, class B>
Eigenpairs<T> find_from(B& backend, const HostCsr<T>& host, const HostVector<T>& start, Index k, Method method,
                        EigenOptions options) {
    const auto a = brought(backend, host);
    auto x = make_multivector<T>(backend, host.n_rows, k);
    upload(backend, start, x.values());
    const auto run = [&] {
        switch (method) {
            case Method::lobpcg:
                return lobpcg(backend, a, x, options);
            case Method::lobpcg_jacobi:
                return lobpcg(backend, a, make_jacobi(backend, a), x, options);
            case Method::lobpcg_chebyshev:
                return lobpcg(backend, a,
                              make_shifted_chebyshev<B, T>(backend, a, a.n_rows, block_columns(a.n_rows, k, options),
                                                           options.which),
                              x, options);
            case Method::filtered:
                options.filter_degree = 12;
                return subspace_iteration(backend, a, x, options);
            case Method::plain:
                return subspace_iteration(backend, a, x, options);
            case Method::power:
                return power_iteration(backend, a, x, options);
        }
        return EigenResult{};
    };
    Eigenpairs<T> found{run(), HostVector<T>(x.values().size())};
    download(backend, x.values(), found.vectors);
    return found;
}

template <class T>
HostVector<T> random_start(Index n, Index k) {
    Serial host;
    return std::move(random_multivector<T>(host, n, k, 5).values());
}

template <class T, class B>
Eigenpairs<T> find(B& backend, const HostCsr<T>& a, Index k, Method method, const EigenOptions& options) {
    return find_from(backend, a, random_start<T>(a.n_rows, k), k, method, options);
}

/// Holds a converged result against the exact eigenvalues of A, in the order wanted: residuals recomputed in extended
/// precision are within the tolerance and are those reported, vectors are orthonormal, and values are as near to the
/// exact ones as a symmetric matrix's must be (Weyl: |lambda - exact| <= |A v - lambda v|). norm: |A|.
template <class T>
::testing::AssertionResult is_eigenbasis(const HostCsr<T>& a, const Eigenpairs<T>& found,
                                         const std::vector<double>& exact, double norm, double rtol) {
    const auto failure = [] { return ::testing::AssertionFailure(); };
    const EigenResult& result = found.result;
    const auto k = static_cast<Index>(result.pairs.size());
    if (result.reason != StopReason::converged) return failure() << "ended as " << to_string(result.reason);
    const long double eps = std::numeric_limits<T>::epsilon();
    const long double rounding = 64 * eps * norm;
    for (Index j = 0; j < k; ++j) {
        const EigenPair& pair = result.pairs[static_cast<std::size_t>(j)];
        long double residual2 = 0;
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                long double r = -static_cast<long double>(pair.value) * found.vectors[Size{i} * k + j];
                for (auto e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                    r += static_cast<long double>(a.values[e]) * found.vectors[Size{a.col_idx[e]} * k + j];
                }
                residual2 += r * r;
            }
        });
        const long double residual = std::sqrt(residual2);
        const long double scale = std::abs(pair.value) > rounding ? std::abs(pair.value) : norm;
        if (!(residual <= rtol * scale + rounding)) return failure() << "residual " << j << " is " << residual;
        if (!(std::abs(pair.residual * scale - residual) <= rounding + 0.3 * rtol * scale)) {
            return failure() << "residual " << j << " is " << residual / scale << ", reported " << pair.residual;
        }
        const long double error = std::abs(pair.value - exact[static_cast<std::size_t>(j)]);
        if (!(error <= residual + rounding)) {
            return failure() << "value " << j << " is " << pair.value << ", not " << exact[static_cast<std::size_t>(j)];
        }
        for (Index other = 0; other <= j; ++other) {
            long double product = other == j ? -1 : 0;
            for (Size i = 0; i < a.n_rows; ++i) {
                product += static_cast<long double>(found.vectors[i * k + j]) * found.vectors[i * k + other];
            }
            if (!(std::abs(product) <= 200 * eps))
                return failure() << "vectors " << j << ", " << other << ": " << product;
        }
    }
    return ::testing::AssertionSuccess();
}

/// The first k of the values in the order of an end.
inline std::vector<double> at_end(std::vector<double> values, EigenEnd which, std::size_t k) {
    std::sort(values.begin(), values.end(), [&](double a, double b) {
        if (which == EigenEnd::magnitude) return std::abs(a) > std::abs(b);
        return which == EigenEnd::largest ? a > b : a < b;
    });
    return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min(k, values.size()))};
}

/// The eigenvalues of poisson2d(nx, ny) - shift I.
inline std::vector<double> poisson2d_eigenvalues(Index nx, Index ny, double shift = 0) {
    std::vector<double> values;
    const auto of_axis = [](Index k, Index n) { return 2 - 2 * std::cos(M_PI * (k + 1) / (n + 1)); };
    for (Index i = 0; i < nx; ++i) {
        for (Index j = 0; j < ny; ++j) values.push_back(of_axis(i, nx) + of_axis(j, ny) - shift);
    }
    return values;
}

template <class T>
HostCsr<T> shifted(HostCsr<T> a, double shift) {
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (auto e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                if (a.col_idx[e] == i) a.values[e] -= static_cast<T>(shift);
            }
        }
    });
    return a;
}

template <class T>
inline constexpr double eigen_rtol = std::is_same_v<T, double> ? 1e-9 : 2e-4;

/// Both ends of definite and indefinite matrices, simple and multiple eigenvalues, by every block method.
template <class T, class B>
void check_poisson_pairs(B& backend) {
    OpenMP maker(1);
    const double rtol = eigen_rtol<T>;
    for (const double shift : {0.0, 3.0}) {
        for (const Index ny : {19, 23}) {  // 19 x 19: pairs of equal eigenvalues
            const HostCsr<T> a = shifted(poisson2d<T>(maker, 19, ny), shift);
            const auto values = poisson2d_eigenvalues(19, ny, shift);
            for (const EigenEnd which : {EigenEnd::smallest, EigenEnd::largest}) {
                for (const Method method :
                     {Method::lobpcg, Method::lobpcg_jacobi, Method::lobpcg_chebyshev, Method::filtered}) {
                    if (method == Method::lobpcg_jacobi && 4 - shift <= 0) continue;
                    const auto found = find<T>(backend, a, 5, method, {.which = which, .rtol = rtol});
                    EXPECT_TRUE(is_eigenbasis(a, found, at_end(values, which, 5), 8, rtol))
                        << "method " << static_cast<int>(method) << ", " << (which == EigenEnd::largest) << ", ny "
                        << ny << ", shift " << shift;
                }
            }
        }
    }
}

/// Sizes around the border between the dense method and iteration, and the widest block.
template <class T, class B>
void check_sizes(B& backend) {
    const double rtol = eigen_rtol<T>;
    for (const Index n : {1, 2, 3, 31, 32, 33, 191, 192, 193, 400}) {
        std::vector<double> diagonal;
        for (Index i = 0; i < n; ++i) diagonal.push_back(0.5 + (7 * i + 3) % n);
        const double norm = 0.5 + n;
        const HostCsr<T> a = diagonal_matrix<T>(diagonal);
        for (const Index k : {1, 3, 64}) {
            if (k > n) continue;
            for (const EigenEnd which : {EigenEnd::smallest, EigenEnd::largest}) {
                const auto found = find<T>(backend, a, k, Method::lobpcg, {.which = which, .rtol = rtol});
                EXPECT_TRUE(is_eigenbasis(a, found, at_end(diagonal, which, static_cast<std::size_t>(k)), norm, rtol))
                    << n << " rows, " << k << " pairs";
            }
        }
    }
}

/// Matrices with nothing to iterate: zero, a multiple of the identity, rank one.
template <class T, class B>
void check_degenerate_matrices(B& backend) {
    const double rtol = eigen_rtol<T>;
    for (const double value : {0.0, 2.0, -3.0}) {
        const HostCsr<T> a = diagonal_matrix<T>(std::vector<double>(500, value));
        for (const Method method : {Method::lobpcg, Method::filtered, Method::plain}) {
            const auto found = find<T>(backend, a, 4, method, {.rtol = rtol});
            EXPECT_TRUE(is_eigenbasis(a, found, std::vector<double>(4, value), std::abs(value) + 1e-30, rtol)) << value;
        }
    }
    std::vector<double> one_value(500, 0.0);
    one_value[77] = 5;
    const HostCsr<T> a = diagonal_matrix<T>(one_value);
    const auto found = find<T>(backend, a, 3, Method::lobpcg, {.which = EigenEnd::largest, .rtol = rtol});
    EXPECT_TRUE(is_eigenbasis(a, found, {5, 0, 0}, 5, rtol));
}

/// A power of two before A changes nothing but values: where squares of A's entries leave the range of numbers as well.
template <class T, class B>
void check_far_matrices(B& backend) {
    OpenMP maker(1);
    const int far = std::is_same_v<T, double> ? 900 : 80;  // no product of an entry with a vector's is subnormal
    for (const Index ny : {7, 17}) {                       // by the dense method, and by iteration
        const HostCsr<T> near = poisson2d<T>(maker, 19, ny);
        for (const Method method :
             {Method::lobpcg, Method::lobpcg_jacobi, Method::lobpcg_chebyshev, Method::filtered, Method::plain}) {
            const EigenOptions options{.which = method == Method::plain ? EigenEnd::magnitude : EigenEnd::smallest,
                                       .rtol = eigen_rtol<T>,
                                       .max_iterations = 60};
            const auto expected = find<T>(backend, near, 3, method, options);
            for (const int exponent : {-far, far}) {
                HostCsr<T> a = poisson2d<T>(maker, 19, ny);
                for (T& value : a.values) value = std::ldexp(value, exponent);
                const auto found = find<T>(backend, a, 3, method, options);
                SCOPED_TRACE(testing::Message() << "method " << static_cast<int>(method) << ", 2^" << exponent);
                EXPECT_EQ(found.result.reason, expected.result.reason);
                EXPECT_EQ(found.result.iterations, expected.result.iterations);
                EXPECT_TRUE(std::equal(found.vectors.begin(), found.vectors.end(), expected.vectors.begin()));
                EXPECT_EQ(found.result.norm_estimate, std::ldexp(expected.result.norm_estimate, exponent));
                for (std::size_t j = 0; j < 3; ++j) {
                    EXPECT_EQ(found.result.pairs[j].value, std::ldexp(expected.result.pairs[j].value, exponent));
                    EXPECT_EQ(found.result.pairs[j].residual, expected.result.pairs[j].residual);
                }
            }
        }
    }
}

/// The plain methods on spectra whose ends stand apart; magnitude finds either sign.
template <class T, class B>
void check_plain_methods(B& backend) {
    const double rtol = eigen_rtol<T>;
    std::vector<double> diagonal;
    for (Index i = 0; i < 300; ++i) diagonal.push_back(std::sin(i));
    diagonal[20] = -9, diagonal[100] = 6, diagonal[299] = 4, diagonal[5] = -3;
    const HostCsr<T> a = diagonal_matrix<T>(diagonal);
    for (const EigenEnd which : {EigenEnd::smallest, EigenEnd::largest, EigenEnd::magnitude}) {
        const auto one = find<T>(backend, a, 1, Method::power, {.which = which, .rtol = rtol});
        EXPECT_TRUE(is_eigenbasis(a, one, at_end(diagonal, which, 1), 9, rtol)) << static_cast<int>(which);
        const auto two = find<T>(backend, a, 2, Method::plain, {.which = which, .rtol = rtol});
        EXPECT_TRUE(is_eigenbasis(a, two, at_end(diagonal, which, 2), 9, rtol)) << static_cast<int>(which);
    }
}

/// Dependent start vectors are replaced: zero ones, equal ones, all equal.
template <class T, class B>
void check_start_blocks(B& backend) {
    OpenMP maker(1);
    const Index n = 19 * 23, k = 4;
    const HostCsr<T> a = poisson2d<T>(maker, 19, 23);
    const double rtol = eigen_rtol<T>;
    const auto exact = at_end(poisson2d_eigenvalues(19, 23), EigenEnd::smallest, k);
    for (const int kind : {0, 1, 2}) {
        HostVector<T> start = random_start<T>(n, k);
        for (Size i = 0; i < n; ++i) {
            if (kind == 0) start[i * k + 2] = 0;
            if (kind == 1) start[i * k + 3] = start[i * k + 1];
            for (Size j = 0; kind == 2 && j < k; ++j) start[i * k + j] = 1;
        }
        for (const Method method : {Method::lobpcg, Method::filtered}) {
            const auto found = find_from<T>(backend, a, start, k, method, {.rtol = rtol});
            EXPECT_TRUE(is_eigenbasis(a, found, exact, 8, rtol)) << kind;
        }
    }
    HostVector<T> start = random_start<T>(n, k);
    start[Size{7} * k + 2] = std::numeric_limits<T>::quiet_NaN();
    EXPECT_EQ(refusal([&] { find_from<T>(backend, a, start, k, Method::lobpcg, {}); }),
              "lobpcg: column 3 of the start block holds a NaN or infinity, or overflows when squared");
}

/// Whatever ends a run early is named, and what was found until then has true residuals.
template <class T, class B>
void check_reasons(B& backend) {
    OpenMP maker(1);
    const HostCsr<T> a = poisson2d<T>(maker, 30, 31);
    for (const Size budget : {0, 1, 3}) {
        const auto found = find<T>(backend, a, 3, Method::lobpcg, {.max_iterations = budget, .history = true});
        EXPECT_EQ(found.result.reason, StopReason::max_iterations);
        EXPECT_EQ(found.result.iterations, budget);
        EXPECT_EQ(static_cast<Size>(found.result.history.size()), budget + 1);
        EXPECT_EQ(found.result.pairs.size(), 3u);
        EXPECT_TRUE(found.result.worst_residual() > 1e-8);
    }
    Size seen = 0;
    const auto stopped = find<T>(backend, a, 2, Method::filtered, {.monitor = [&](const EigenProgress& progress) {
                                     EXPECT_EQ(progress.iteration, seen++);
                                     return progress.iteration < 2;
                                 }});
    EXPECT_EQ(stopped.result.reason, StopReason::interrupted);
    EXPECT_EQ(stopped.result.iterations, 2);

    const SlowMonitor slow(5e-3);
    for (const double limit : {0.0, 0.02}) {
        const auto late = find<T>(backend, a, 2, Method::lobpcg, {.rtol = 0, .monitor = slow, .time_limit = limit});
        EXPECT_EQ(late.result.reason, StopReason::time_limit);
        EXPECT_GE(late.result.seconds, limit);
        EXPECT_LE(late.result.iterations, limit > 0 ? slow.most_iterations(limit) : 0);
    }

    const auto exacting = find<T>(backend, a, 2, Method::lobpcg_chebyshev, {.rtol = 0});
    EXPECT_EQ(exacting.result.reason, StopReason::stagnated);
    EXPECT_TRUE(exacting.result.worst_residual() <= 1e4 * std::numeric_limits<T>::epsilon());

    for (const Index n : {5, 1000}) {
        std::vector<double> diagonal(static_cast<std::size_t>(n), 1.0);
        diagonal[3] = std::numeric_limits<double>::quiet_NaN();
        const HostCsr<T> bad = diagonal_matrix<T>(diagonal);
        for (const Method method : {Method::lobpcg, Method::lobpcg_chebyshev, Method::filtered, Method::plain}) {
            EXPECT_EQ(find<T>(backend, bad, 2, method, {}).result.reason, StopReason::not_finite) << n;
        }
    }
    // lambda and -lambda are equally far from 0: there is no pair of largest magnitude to converge to.
    std::vector<double> both_signs(300, 0.5);
    both_signs[0] = 2, both_signs[1] = -2;
    const auto lost = find<T>(backend, diagonal_matrix<T>(both_signs), 1, Method::power,
                              {.which = EigenEnd::magnitude, .max_iterations = 200});
    EXPECT_EQ(lost.result.reason, StopReason::max_iterations);
}

/// Repeats bit for bit.
template <class T, class B>
void check_determinism(B& backend) {
    OpenMP maker(1);
    const HostCsr<T> a = poisson2d<T>(maker, 60, 61);
    for (const Method method : {Method::lobpcg_chebyshev, Method::filtered}) {
        const auto first = find<T>(backend, a, 4, method, {.rtol = eigen_rtol<T>});
        const auto second = find<T>(backend, a, 4, method, {.rtol = eigen_rtol<T>});
        EXPECT_EQ(first.result.iterations, second.result.iterations);
        EXPECT_TRUE(std::equal(first.vectors.begin(), first.vectors.end(), second.vectors.begin()));
    }
}

}  // namespace stiefel::test
