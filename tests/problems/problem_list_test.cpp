#include "stiefel/problems/problem_list.hpp"

#include "stiefel/problems/power_law.hpp"
#include "support/csr_checks.hpp"
#include "support/dense_matrix.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace stiefel::test {
namespace {

/// Arguments of a size that dense reference algorithms can take.
ProblemArguments small_arguments(const Problem& problem, double edge) {
    ProblemArguments arguments(problem);
    int sizes = 0;
    for (const ProblemParameter& p : problem.parameters) sizes += p.kind == ParameterKind::size ? 1 : 0;
    const bool box = sizes == 3;
    for (const ProblemParameter& p : problem.parameters) {
        if (p.kind == ParameterKind::size) arguments.set(p.name, box ? edge : edge * edge);
    }
    return arguments;
}

TEST(ProblemList, NamesAreUniqueAndEveryParameterIsExplained) {
    std::set<std::string_view> names;
    for (const Problem& problem : problems()) {
        EXPECT_TRUE(names.insert(problem.name).second) << problem.name;
        EXPECT_FALSE(problem.description.empty());
        ASSERT_FALSE(problem.parameters.empty());
        EXPECT_TRUE(problem.parameters.front().fallback)
            << problem.name << ": nothing stands before the first parameter";
        std::set<std::string_view> parameters;
        for (const ProblemParameter& parameter : problem.parameters) {
            EXPECT_TRUE(parameters.insert(parameter.name).second) << problem.name << " " << parameter.name;
            EXPECT_FALSE(parameter.meaning.empty()) << problem.name << " " << parameter.name;
        }
        EXPECT_EQ(&find_problem(problem.name), &problem);
    }
}

TEST(ProblemList, HoldsEveryFamily) {
    std::vector<std::string_view> names;
    for (const Problem& problem : problems()) names.push_back(problem.name);
    EXPECT_EQ(names, (std::vector<std::string_view>{"poisson1d", "poisson2d", "poisson3d", "stencil27", "anisotropic2d",
                                                    "jump_diffusion3d", "elasticity3d", "graph_laplacian", "random_spd",
                                                    "random_csr", "power_law_rows"}));
}

TEST(ProblemList, EveryProblemIsWhatItIsListedAs) {
    OpenMP backend(2);
    for (const Problem& problem : problems()) {
        for (double edge : {1.0, 2.0, 5.0}) {
            const auto a = problem.make<double>(backend, small_arguments(problem, edge));
            EXPECT_TRUE(well_formed(a)) << problem.name;
            const DenseMatrix reference = dense_matrix(a);
            const bool spd = problem.kind == ProblemKind::spd;
            const bool symmetric = spd || problem.kind == ProblemKind::symmetric;
            EXPECT_TRUE(!symmetric || is_symmetric(reference)) << problem.name;
            EXPECT_TRUE(!spd || is_positive_definite(reference)) << problem.name;
        }
    }
}

TEST(ProblemList, EveryProblemRepeatsItselfOnAnyNumberOfThreads) {
    OpenMP one(1);
    for (const Problem& problem : problems()) {
        const ProblemArguments arguments(problem);
        const auto a = problem.make<double>(one, arguments);
        EXPECT_GT(a.nnz(), 0) << problem.name;
        for (int threads : {2, 3, 7}) {
            OpenMP backend(threads);
            EXPECT_TRUE(bit_equal(a, problem.make<double>(backend, arguments))) << problem.name << " " << threads;
        }
    }
}

TEST(ProblemList, RowsOfASourceAreThoseOfTheWhole) {
    OpenMP backend(2);
    for (const Problem& problem : problems()) {
        SCOPED_TRACE(problem.name);
        const ProblemArguments arguments = small_arguments(problem, 12);
        const auto whole = problem.make<double>(backend, arguments);
        const RowSource source = problem.source(arguments);
        ASSERT_EQ(source.n_rows, whole.n_rows);
        ASSERT_EQ(source.n_cols, whole.n_cols);
        const Size n = source.n_rows;
        Size next = 0;
        for (const auto& [first, last] : {std::pair{Size{0}, n / 3}, {n / 3, n / 3}, {n / 3, n - 1}, {n - 1, n}}) {
            const WorldRows<double> rows = source.rows(backend, first, last);
            ASSERT_EQ(rows.n_rows(), last - first);
            for (Index i = 0; i < rows.n_rows(); ++i) {
                whole.row_ptr.visit([&](const auto* row_ptr) {
                    ASSERT_EQ(row_ptr[first + i], next + rows.row_ptr[i]);
                    ASSERT_EQ(row_ptr[first + i + 1], next + rows.row_ptr[i + 1]);
                });
            }
            for (Size k = 0; k < rows.nnz(); ++k, ++next) {
                ASSERT_EQ(rows.col_idx[k], whole.col_idx[next]);
                ASSERT_EQ(rows.values[k], whole.values[next]);
            }
        }
        EXPECT_EQ(next, whole.nnz());
    }
}

// 1400^3 points are 2.7e9 rows and 1.9e10 entries: more than either 31 or 32 bits count.
TEST(ProblemList, RowsMayBeMoreThanAnIndexCounts) {
    OpenMP backend(2);
    constexpr Size edge = 1400, n = edge * edge * edge;
    for (const char* name : {"poisson3d", "stencil27", "jump_diffusion3d"}) {
        SCOPED_TRACE(name);
        ProblemArguments arguments(find_problem(name));
        arguments.set("nx", edge);
        EXPECT_THROW(find_problem(name).make<double>(backend, arguments), InvalidArgument);
        const RowSource source = find_problem(name).source(arguments);
        ASSERT_EQ(source.n_rows, n);
        const WorldRows<double> rows = source.rows(backend, n - edge - 2, n);
        ASSERT_EQ(rows.n_rows(), edge + 2);
        const auto row = [&](Index i) {
            return std::vector<Size>(rows.col_idx.data() + rows.row_ptr[i], rows.col_idx.data() + rows.row_ptr[i + 1]);
        };
        const std::vector<Size> last = row(edge + 1);
        EXPECT_EQ(last.back(), n - 1);
        if (std::string_view(name) == "stencil27") {
            EXPECT_EQ(last.size(), 8u);
            EXPECT_EQ(last.front(), n - 1 - edge * edge - edge - 1);
        } else {
            EXPECT_EQ(last, (std::vector<Size>{n - 1 - edge * edge, n - 1 - edge, n - 2, n - 1}));
            EXPECT_EQ(row(0), (std::vector<Size>{n - edge - 2 - edge * edge, n - 2 * edge - 2, n - edge - 3,
                                                 n - edge - 2, n - edge - 1, n - 2}));
        }
    }
    ProblemArguments beam(find_problem("elasticity3d"));
    beam.set("nx", 1000);
    const RowSource source = find_problem("elasticity3d").source(beam);
    EXPECT_EQ(source.n_rows, Size{3} * 1000 * 1001 * 1001);
    const WorldRows<double> rows = source.rows(backend, source.n_rows - 1, source.n_rows);
    EXPECT_EQ(rows.nnz(), 24) << "a corner of one brick";
    EXPECT_EQ(rows.col_idx[23], source.n_rows - 1);
    ProblemArguments beyond(find_problem("poisson3d"));
    beyond.set("nx", 2e9);
    EXPECT_THROW(find_problem("poisson3d").source(beyond), InvalidArgument);
}

TEST(ProblemList, FloatIsTheRoundedDouble) {
    OpenMP backend(2);
    for (const Problem& problem : problems()) {
        const ProblemArguments arguments = small_arguments(problem, 6);
        const auto a = problem.make<double>(backend, arguments);
        const auto b = problem.make<float>(backend, arguments);
        ASSERT_EQ(a.nnz(), b.nnz()) << problem.name;
        for (Size k = 0; k < a.nnz(); ++k) {
            ASSERT_EQ(a.col_idx[k], b.col_idx[k]) << problem.name;
            ASSERT_EQ(static_cast<float>(a.values[k]), b.values[k]) << problem.name;
        }
    }
}

TEST(ProblemList, AnotherSeedIsAnotherMatrix) {
    OpenMP backend(2);
    for (const Problem& problem : problems()) {
        for (const ProblemParameter& parameter : problem.parameters) {
            if (parameter.name != "seed") continue;
            ProblemArguments other(problem);
            other.set("seed", 2.0);
            EXPECT_FALSE(bit_equal(problem.make<double>(backend, ProblemArguments(problem)),
                                   problem.make<double>(backend, other)))
                << problem.name;
        }
    }
}

TEST(ProblemArguments, MissingSizesRepeatTheOneBefore) {
    OpenMP backend(1);
    const Problem& problem = find_problem("poisson3d");
    ProblemArguments arguments(problem);
    EXPECT_EQ(arguments.index("nz"), arguments.index("nx"));
    const std::vector<std::string> sizes{"4", "3"};
    arguments.set_sizes(sizes);
    EXPECT_EQ(arguments.index("nx"), 4);
    EXPECT_EQ(arguments.index("ny"), 3);
    EXPECT_EQ(arguments.index("nz"), 3);
    EXPECT_EQ(problem.make<double>(backend, arguments).n_rows, 36);
}

TEST(ProblemArguments, ReachTheGeneratorByName) {
    OpenMP backend(1);
    const Problem& problem = find_problem("power_law_rows");
    ProblemArguments arguments(problem);
    const std::vector<std::string> sizes{"2e3", "500"};
    arguments.set_sizes(sizes);
    arguments.set("mean", "4.5");
    arguments.set("exponent", ".25");
    arguments.set("skew", "3");
    arguments.set("seed", "77");
    EXPECT_TRUE(
        bit_equal(problem.make<double>(backend, arguments),
                  power_law_rows<double>(backend, 2000, 500, {.mean = 4.5, .exponent = 0.25, .skew = 3, .seed = 77})));
}

TEST(ProblemArguments, RefuseWhatTheyCannotTake) {
    const Problem& problem = find_problem("anisotropic2d");
    ProblemArguments arguments(problem);
    EXPECT_EQ(refusal([&] { arguments.set("nz", "3"); }),
              "anisotropic2d: there is no parameter 'nz', expected one of nx, ny, epsilon");
    EXPECT_EQ(refusal([&] { arguments.set("nx", "3x"); }), "anisotropic2d: nx = '3x', expected a number");
    EXPECT_EQ(refusal([&] { arguments.set("nx", ""); }), "anisotropic2d: nx = '', expected a number");
    EXPECT_EQ(refusal([&] { arguments.set("nx", "2.5"); }), "anisotropic2d: nx = 2.5, expected a whole number");
    EXPECT_EQ(refusal([&] { arguments.set("nx", "nan"); }), "anisotropic2d: nx = nan, expected a whole number");
    arguments.set("nx", "3000000000");
    EXPECT_EQ(refusal([&] { arguments.index("nx"); }), "anisotropic2d: nx = 3000000000, expected at most 2147483647");
    const std::vector<std::string> sizes{"1", "2", "3"};
    EXPECT_EQ(refusal([&] { arguments.set_sizes(sizes); }),
              "anisotropic2d: 3 sizes are given, it has 2; its parameters are nx, ny, epsilon");
    ProblemArguments random(find_problem("random_csr"));
    random.set("seed", "-1");
    EXPECT_EQ(refusal([&] { random.seed("seed"); }), "random_csr: seed = -1, expected at least 0");
    EXPECT_TRUE(refusal([&] {
                    find_problem("poisson4d");
                }).starts_with("there is no problem 'poisson4d', expected one of poisson1d,"));
}

}  // namespace
}  // namespace stiefel::test
