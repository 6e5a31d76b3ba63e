#pragma once

#include "support/block_reference.hpp"
#include "support/bounds.hpp"
#include "support/brought.hpp"
#include "support/matrices.hpp"
#include "support/solved_factor.hpp"
#include "support/ssor_reference.hpp"

#include "stiefel/preconditioner/list.hpp"
#include "stiefel/preconditioner/ssor/triangles.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stiefel::test {

/// M of every listed preconditioner, column by column, against its formula in extended precision, made of A alone as
/// far as that says what M is.
template <class B, class T>
class ListedReferences {
public:
    /// By which the backend solves with the triangles of a factor.
    using ExpansionOf = std::function<triangular::Expansion(const triangular::LevelTriangles<T>&)>;

    explicit ListedReferences(
        B& backend, ExpansionOf expansion_of = [](const auto&) { return triangular::Expansion(); })
        : backend_(backend), expansion_of_(std::move(expansion_of)) {}

    void every_one_is_its_formula() {
        const std::vector<HostCsr<T>> matrices = systems();
        for (const auto& entry : preconditioners<B, T>) {
            if (is_compared_elsewhere(entry.name)) continue;
            SCOPED_TRACE(entry.name);
            for (const HostCsr<T>& host : matrices) {
                SCOPED_TRACE(host.n_rows);
                compare(entry, host);
            }
        }
    }

private:
    using Columns = std::vector<std::vector<T>>;

    static constexpr long double eps = std::numeric_limits<T>::epsilon();

    /// amg: DenseCycleSuite. chebyshev: PreconditionerSuite, for an interval that an estimate gives. fsai: by the
    /// entries that it keeps, FsaiFactor and AppliesItsFactorTwice.
    static bool is_compared_elsewhere(std::string_view name) {
        constexpr std::array<std::string_view, 3> others{"amg", "chebyshev", "fsai"};
        return std::find(others.begin(), others.end(), name) != others.end();
    }

    /// An even diagonal, one that varies, and nodes of three unknowns.
    static std::vector<HostCsr<T>> systems() {
        OpenMP maker(1);
        std::vector<HostCsr<T>> list;
        list.push_back(poisson2d<T>(maker, 7, 9));
        list.push_back(jump_diffusion3d<T>(maker, 4, 4, 4, {.contrast = 100}));
        list.push_back(elasticity3d<T>(maker, 2, 2, 1));
        return list;
    }

    void compare(const PreconditionerEntry<B, T>& entry, const HostCsr<T>& host) {
        const Columns m = columns_of(entry, host);
        if (entry.name == "none") {
            expect_diagonal(m, [](Index) { return 1.0L; });
        } else if (entry.name == "jacobi") {
            const std::vector<long double> a = dense(host);
            expect_diagonal(m, [&](Index i) { return 1 / a[at(i * Size{host.n_rows} + i)]; });
        } else if (entry.name == "block-jacobi") {
            expect_blocks(m, host);
        } else if (entry.name == "ic") {
            const auto factor = cholesky::incomplete_factor(host, {});
            const triangular::Expansion expansion = expansion_of_(triangular::in_levels(factor.columns()));
            for (Index j = 0; j < host.n_rows; ++j) expect_solved(factor, unit(host.n_rows, j), m[at(j)], expansion);
        } else if (entry.name == "ssor") {
            expect_relaxation(m, host);
        } else if (entry.name == "cholesky") {
            expect_inverse(m, host);
        } else {
            ADD_FAILURE() << "there is no formula for it here";
        }
    }

    static std::vector<T> unit(Index n, Index j) {
        std::vector<T> e(at(n), T{0});
        e[at(j)] = 1;
        return e;
    }

    Columns columns_of(const PreconditionerEntry<B, T>& entry, const HostCsr<T>& host) {
        auto csr = brought(backend_, host);
        const auto& kernel = spmv_kernels(backend_, csr).back();
        const SpmvOperator<B, T> a(std::move(csr), kernel);
        const auto chosen = entry.prepare(backend_, brought(backend_, host))(backend_, a, 1);
        Columns columns;
        for (Index j = 0; j < host.n_rows; ++j) {
            HostVector<T> e(host.n_rows, T{0}), column(host.n_rows);
            e[j] = 1;
            const auto r = brought(backend_, e);
            auto z = brought(backend_, HostVector<T>(host.n_rows, std::numeric_limits<T>::quiet_NaN()));
            std::visit([&](const auto& m) { precondition_vector(backend_, m, r, z); }, chosen);
            download(backend_, z, column);
            columns.emplace_back(column.begin(), column.end());
        }
        return columns;
    }

    /// Nothing beside it, and one division on it.
    template <class F>
    static void expect_diagonal(const Columns& m, F&& diagonal) {
        for (std::size_t j = 0; j < m.size(); ++j) {
            for (std::size_t i = 0; i < m.size(); ++i) {
                const long double expected = i == j ? diagonal(static_cast<Index>(i)) : 0;
                ASSERT_TRUE(within(m[j][i], expected, eps * std::abs(expected))) << i << ' ' << j;
            }
        }
    }

    /// Blocks scaled to a unit diagonal are inverted in double precision, as expect_block_inverses() says; entries are
    /// rounded to T, and again where scaled.
    static void expect_blocks(const Columns& m, const HostCsr<T>& host) {
        OpenMP maker(1);
        const auto blocks =
            block_jacobi::found_blocks(block_jacobi::row_links(maker, host), block_jacobi::Options::most_found);
        const Index n = host.n_rows;
        std::vector<long double> full = dense(host), root(at(n)), expected(at(Size{n} * n), 0), lost(expected);
        for (Index i = 0; i < n; ++i) root[at(i)] = std::sqrt(full[at(Size{i} * n + i)]);
        for (Size e = 0; e < Size{n} * n; ++e) full[at(e)] /= root[at(e / n)] * root[at(e % n)];
        for (Index b = 0; b < blocks.number(); ++b) {
            const Index k = blocks.rows(b), first = blocks.start[b];
            const std::vector<long double> own = block_of(full, n, blocks, b), inverse = small_inverse(own, at(k));
            const long double norm = row_sum_norm(inverse, at(k)), condition = row_sum_norm(own, at(k)) * norm;
            for (Index i = 0; i < k; ++i) {
                for (Index j = 0; j < k; ++j) {
                    const auto place = at(Size{first + i} * n + first + j);
                    expected[place] = inverse[at(Size{i} * k + j)];
                    lost[place] = sum_bound<double>(8 * k, condition * norm) + 4 * eps * std::abs(expected[place]);
                }
            }
        }
        for (Index j = 0; j < n; ++j) {
            for (Index i = 0; i < n; ++i) {
                const auto place = at(Size{i} * n + j);
                const long double scale = 1 / (root[at(i)] * root[at(j)]);
                ASSERT_TRUE(within(m[at(j)][at(i)], scale * expected[place], scale * lost[place])) << i << ' ' << j;
            }
        }
    }

    /// P M e = e, as nearly as two substitutions make it (Higham 2002, theorem 8.5), with factors that were rounded
    /// some times.
    void expect_relaxation(const Columns& m, const HostCsr<T>& host) {
        const auto colouring = ssor::greedy_colouring(host);
        const std::vector<long double> a = dense(host);
        const Index n = host.n_rows;
        for (Index j = 0; j < n; ++j) {
            const std::vector<T>& column = m[at(j)];
            const DenseRelaxation found(a, colouring, 1, {column.begin(), column.end()});
            for (Index i = 0; i < n; ++i) {
                ASSERT_TRUE(within(found.product[at(i)], i == j ? 1 : 0, 4 * sum_bound<T>(n, found.absolute[at(i)])))
                    << i << ' ' << j;
            }
        }
    }

    /// A M e = e, as nearly as a factorisation and two substitutions make it: c n eps |L| |L'| |M e| (Higham 2002,
    /// theorem 10.4), where (|L| |L'|)_ij is no larger than the root of a_ii a_jj.
    static void expect_inverse(const Columns& m, const HostCsr<T>& host) {
        const std::vector<long double> a = dense(host);
        const Index n = host.n_rows;
        std::vector<long double> root(at(n));
        for (Index i = 0; i < n; ++i) root[at(i)] = std::sqrt(a[at(Size{i} * n + i)]);
        for (Index j = 0; j < n; ++j) {
            long double weighted = 0;
            for (Index k = 0; k < n; ++k) weighted += root[at(k)] * std::abs(m[at(j)][at(k)]);
            for (Index i = 0; i < n; ++i) {
                long double product = 0;
                for (Index k = 0; k < n; ++k) product += a[at(Size{i} * n + k)] * m[at(j)][at(k)];
                const long double bound = 2 * sum_bound<T>(n, root[at(i)] * weighted);
                ASSERT_TRUE(within(product, i == j ? 1 : 0, bound)) << i << ' ' << j;
            }
        }
    }

    B& backend_;
    ExpansionOf expansion_of_;
};

}  // namespace stiefel::test
