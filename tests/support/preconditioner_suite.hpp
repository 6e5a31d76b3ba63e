#pragma once

#include "support/brought.hpp"
#include "support/csr_checks.hpp"
#include "support/matrices.hpp"

#include "stiefel/preconditioner/list.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

namespace stiefel::test {

/// What every listed preconditioner must be, on any backend. Data goes through the backend's own transfers.
template <class B, class T>
class PreconditionerSuite {
public:
    explicit PreconditionerSuite(B& backend) : backend_(backend) {}

    void every_one_is_symmetric_and_positive() {
        for (const auto& entry : preconditioners<B, T>) {
            SCOPED_TRACE(entry.name);
            on_systems([&](const HostCsr<T>& host, const SpmvOperator<B, T>& a, const auto& csr) {
                const auto chosen = entry.prepare(backend_, csr)(backend_, a, 1);
                std::visit(
                    [&](const auto& m) {
                        expect_definite(dense_of(m, host.n_rows), host.n_rows, preconditioner_epsilon<T>(m));
                    },
                    chosen);
            });
        }
    }

    void panels_are_columns() {
        constexpr Index k = 3;
        for (const auto& entry : preconditioners<B, T>) {
            SCOPED_TRACE(entry.name);
            on_systems([&](const HostCsr<T>& host, const SpmvOperator<B, T>& a, const auto& csr) {
                const auto made_for_them = entry.prepare(backend_, csr)(backend_, a, k);
                std::visit([&](const auto& m) { expect_columns(m, host.n_rows, k); }, made_for_them);
                auto reserved = entry.prepare(backend_, csr)(backend_, a, 1);
                if (auto* any = std::get_if<AnyPreconditioner<B, T>>(&reserved)) any->reserve(backend_, k);
                std::visit([&](const auto& m) { expect_columns(m, host.n_rows, k); }, reserved);
            });
        }
    }

    /// Multigrid of any of its parts, on panels of one column and of three.
    void every_multigrid_is_symmetric_and_positive() {
        constexpr Index k = 3;
        for (const auto& smoother : amg::smoothers<B, float>) {
            for (const auto& cycle : amg::cycles) {
                SCOPED_TRACE(std::string(smoother.name) + " " + std::string(cycle.name));
                on_systems([&](const HostCsr<T>& host, const SpmvOperator<B, T>&, const auto& csr) {
                    Amg<B, T> m(backend_, amg::in_double(backend_, csr),
                                {.smoother = smoother.name, .cycle = cycle.name, .coarsest_rows = 4});
                    ASSERT_GE(m.details().levels.size(), 3U);
                    m.reserve(backend_, k);
                    expect_definite(dense_of(m, host.n_rows), host.n_rows, preconditioner_epsilon<T>(m));
                    expect_columns(m, host.n_rows, k);
                });
            }
        }
    }

    /// Made of A x, z differs from x by the Chebyshev polynomial of D^-1 A, here by its own recurrence.
    void chebyshev_is_its_polynomial() {
        for (const int degree : {2, 4, 10}) {
            on_systems([&](const HostCsr<T>& host, const SpmvOperator<B, T>& a, const auto& csr) {
                SCOPED_TRACE(degree);
                const auto m = make_scaled_chebyshev<B, T>(backend_, a, make_jacobi(backend_, csr), 1, degree);
                const HostVector<T> x = random_vector<T>(host.n_rows, 5);
                const std::vector<long double> left = chebyshev_error(host, x, m.interval(), degree + 1);
                const HostVector<T> z = apply(m, product(host, x));
                for (Index i = 0; i < host.n_rows; ++i) {
                    const auto expected = static_cast<double>(x[i] - left[static_cast<std::size_t>(i)]);
                    ASSERT_NEAR(z[i], expected, 2000.0 * std::numeric_limits<T>::epsilon()) << i;
                }
            });
        }
        EXPECT_THROW(odd_degree(), InvalidArgument);
    }

private:
    /// f(matrix on the host, operator, matrix of the backend): an even diagonal, and one that varies.
    template <class F>
    void on_systems(F&& f) {
        OpenMP maker(1);
        const auto on = [&](const HostCsr<T>& host) {
            auto csr = brought(backend_, host);
            auto again = brought(backend_, host);
            const auto& kernel = spmv_kernels(backend_, csr).back();
            const SpmvOperator<B, T> a(std::move(csr), kernel);
            f(host, a, again);
        };
        on(poisson2d<T>(maker, 7, 9));
        on(jump_diffusion3d<T>(maker, 4, 4, 4, {.contrast = 100}));
    }

    template <class M>
    HostVector<T> apply(const M& m, const HostVector<T>& r) {
        const auto r_here = brought(backend_, r);
        auto z = brought(backend_, HostVector<T>(r.size(), std::numeric_limits<T>::quiet_NaN()));
        precondition_vector(backend_, m, r_here, z);
        HostVector<T> back(r.size());
        download(backend_, z, back);
        return back;
    }

    /// M's columns, one after another.
    template <class M>
    std::vector<long double> dense_of(const M& m, Index n) {
        std::vector<long double> all;
        for (Index j = 0; j < n; ++j) {
            HostVector<T> unit(n, T{0});
            unit[j] = 1;
            for (const T value : apply(m, unit)) all.push_back(value);
        }
        return all;
    }

    /// Symmetric to rounding, and a Cholesky factorisation exists.
    static void expect_definite(std::vector<long double> m, Index size, double epsilon) {
        const auto n = static_cast<std::size_t>(size);
        long double largest = 0;
        for (const long double value : m) largest = std::max(largest, std::abs(value));
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                ASSERT_LE(std::abs(m[i * n + j] - m[j * n + i]), 100 * epsilon * largest);
            }
        }
        for (std::size_t k = 0; k < n; ++k) {
            ASSERT_GT(m[k * n + k], 0) << "pivot " << k;
            for (std::size_t i = k + 1; i < n; ++i) {
                const long double factor = m[i * n + k] / m[k * n + k];
                for (std::size_t j = k + 1; j < n; ++j) m[i * n + j] -= factor * m[k * n + j];
            }
        }
    }

    template <class M>
    void expect_columns(const M& m, Index n, Index k) {
        const HostVector<T> r = random_vector<T>(Size{n} * k, 3);
        const auto r_here = brought(backend_, r);
        auto z_here = brought(backend_, HostVector<T>(r.size(), std::numeric_limits<T>::quiet_NaN()));
        precondition(backend_, m, MatrixOf<B, const T>{r_here.data(), n, k, k}, MatrixOf<B, T>{z_here.data(), n, k, k});
        HostVector<T> z(r.size());
        download(backend_, z_here, z);
        for (Index j = 0; j < k; ++j) {
            HostVector<T> column(n);
            for (Index i = 0; i < n; ++i) column[i] = r[Size{i} * k + j];
            const HostVector<T> expected = apply(m, column);
            for (Index i = 0; i < n; ++i) {
                ASSERT_NEAR(z[Size{i} * k + j], expected[i],
                            100 * preconditioner_epsilon<T>(m) * (1 + std::abs(expected[i])))
                    << i << " " << j;
            }
        }
    }

    static HostVector<T> product(const HostCsr<T>& a, const HostVector<T>& x) {
        Serial serial;
        HostVector<T> y(a.n_rows, T{0});
        spmv(serial, a, x, y);
        return y;
    }

    /// q(D^-1 A) x, q the Chebyshev polynomial of that degree on the interval, q(0) = 1.
    static std::vector<long double> chebyshev_error(const HostCsr<T>& a, const HostVector<T>& x,
                                                    const ChebyshevInterval& interval, int degree) {
        const auto n = static_cast<std::size_t>(a.n_rows);
        const std::vector<long double> full = dense(a);
        const long double middle = (interval.upper + interval.lower) / 2, half = (interval.upper - interval.lower) / 2;
        const auto mapped = [&](const std::vector<long double>& v) {  // (middle - D^-1 A) v / half
            std::vector<long double> w(n);
            for (std::size_t i = 0; i < n; ++i) {
                long double sum = 0;
                for (std::size_t j = 0; j < n; ++j) sum += full[i * n + j] * v[j];
                w[i] = (middle * v[i] - sum / full[i * n + i]) / half;
            }
            return w;
        };
        std::vector<long double> older(x.begin(), x.end()), newer = mapped(older);
        long double scale_older = 1, scale_newer = middle / half;
        for (int k = 1; k < degree; ++k) {
            std::vector<long double> next = mapped(newer);
            for (std::size_t i = 0; i < n; ++i) next[i] = 2 * next[i] - older[i];
            older = std::exchange(newer, next);
            scale_older = std::exchange(scale_newer, 2 * (middle / half) * scale_newer - scale_older);
        }
        for (long double& value : newer) value /= scale_newer;
        return newer;
    }

    void odd_degree() {
        on_systems([&](const HostCsr<T>&, const SpmvOperator<B, T>& a, const auto& csr) {
            make_scaled_chebyshev<B, T>(backend_, a, make_jacobi(backend_, csr), 1, 3);
        });
    }

    B& backend_;
};

}  // namespace stiefel::test
