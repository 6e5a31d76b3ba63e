// When and with what the automatic choice goes on, seen from outside.

#include "cli/poisson_command.hpp"
#include "stiefel/cli/solve/costs_on_device.hpp"
#include "stiefel/cli/solve/preconditioner_advisor.hpp"
#include "stiefel/cli/solve/strong_ones.hpp"
#include "stiefel/core/cuda.hpp"
#include "stiefel/preconditioner/amg/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

namespace stiefel::test {
namespace {

/// Systems of more than 20,000 rows, where `auto` looks at the first iterations.
class AutomaticPreconditioner : public GeneratedSystem {
protected:
    Json solved(const Words& words, const char* rhs = "random") {
        Words all{"--rhs", rhs};
        all.insert(all.end(), words.begin(), words.end());
        return GeneratedSystem::solved(all);
    }

    static std::vector<std::string> runs_of(const Json& report) {
        std::vector<std::string> names;
        for (const Json& run : report["preconditioner"]["runs"]) names.push_back(run["preconditioner"]);
        return names;
    }
    static std::string reason_of(const Json& report) { return report["method"]["preconditioner_reason"]; }
};

/// The first iterations are the beginning of the solve, not thrown away; x, history and counts are those of all.
TEST_F(AutomaticPreconditioner, GoesOnWithMultigridWhereManyIterationsWouldFollow) {
    generate({"poisson2d", "150"});
    for (const char* backend : {"openmp", "serial"}) {
        const Json report = solved({"--backend", backend, "-o", "x.mtx", "--history", "h.csv"});
        EXPECT_EQ(runs_of(report), (Words{"none", "amg"}));
        EXPECT_EQ(report["method"]["preconditioner"], "amg");
        EXPECT_NE(reason_of(report).find("after 10 iterations with no preconditioner some "), std::string::npos);
        const Json& runs = report["preconditioner"]["runs"];
        EXPECT_EQ(runs[0]["iterations"], 10);
        EXPECT_LT(runs[1]["iterations"], 20);
        EXPECT_LT(runs[0]["convergence_factor"], 1.0);
        EXPECT_GT(report["preconditioner"]["levels"].size(), 2u);
        EXPECT_LE(report["result"]["relative_residual"], 1e-8);
        const std::size_t iterations = report["result"]["iterations"];
        const std::string history = folder.read("h.csv");
        EXPECT_EQ(static_cast<std::size_t>(std::count(history.begin(), history.end(), '\n')), iterations + 2);
        EXPECT_EQ(report["columns"][0]["iterations"], iterations);
        const auto exact = solved({"--preconditioner", "jacobi", "--rtol", "1e-12", "-o", "y.mtx"});
        const std::vector<double> x = read_numbers(folder / "x.mtx"), y = read_numbers(folder / "y.mtx");
        for (std::size_t i = 0; i < x.size(); i += 100) EXPECT_NEAR(x[i], y[i], 1e-4);
    }
}

/// A device runs on while the host is told: it waits where the decision is taken, and no clock has a say in that.
TEST_F(AutomaticPreconditioner, ChangesOverAfterTheSameIterationInEveryRunOnADevice) {
#ifdef STIEFEL_HAS_CUDA
    if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    const auto twice = [&](const Words& words, const char* rhs) {
        std::string x[2];
        Size changed_after[2];
        for (const int run : {0, 1}) {
            Words all{"--backend", "cuda", "-o", "x.npy"};
            all.insert(all.end(), words.begin(), words.end());
            const Json report = solved(all, rhs);
            EXPECT_EQ(runs_of(report), (Words{"none", "amg"})) << reason_of(report);
            changed_after[run] = report["preconditioner"]["runs"][0]["iterations"];
            x[run] = folder.read("x.npy");
        }
        EXPECT_EQ(changed_after[0], changed_after[1]);
        EXPECT_GE(changed_after[0], cli::PreconditionerAdvisor::light_looks.front());
        EXPECT_LE(changed_after[0], cli::most_iterations_before_amg);
        EXPECT_EQ(x[0], x[1]);
    };
    generate({"poisson2d", "400"});  // resident
    twice({}, "random");
    twice({"--solver", "block-cg"}, "random:2");
    generate({"poisson2d", "800"});
    twice({}, "random");
#else
    GTEST_SKIP() << "built without the CUDA backend";
#endif
}

/// A device's iterations are cheap: what they are to be replaced by is asked for when it is as good as certain.
TEST_F(AutomaticPreconditioner, GoesOnWithASparseInverseOnADevice) {
#ifdef STIEFEL_HAS_CUDA
    if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    generate({"poisson2d", "90"});
    const Json report = solved({"--backend", "cuda"});
    EXPECT_EQ(runs_of(report), (Words{"none", "fsai"})) << reason_of(report);
    EXPECT_EQ(report["preconditioner"]["runs"][0]["iterations"], 30);
    EXPECT_NE(reason_of(report).find("after 30 iterations"), std::string::npos) << reason_of(report);
    EXPECT_LE(report["result"]["relative_residual"], 1e-8);
    generate({"poisson2d", "50"});
    EXPECT_EQ(runs_of(solved({"--backend", "cuda"})), Words{"none"}) << "157 iterations do";
#else
    GTEST_SKIP() << "built without the CUDA backend";
#endif
}

/// On cores a factor is weighed before any iteration where couplings say that these will be many; grids whose condition
/// number they say too little of are looked at as before, and what is known of a factor that is too dear is kept.
TEST_F(AutomaticPreconditioner, BeginsWithAFactorOnCoresWhereCouplingsAreStrong) {
    generate({"poisson1d", "1000"});
    for (const char* backend : {"openmp", "serial"}) {
        const Json report = solved({"--backend", backend}, "random:2");
        EXPECT_EQ(runs_of(report), Words{"cholesky"});
        EXPECT_EQ(
            reason_of(report),
            "the diagonal is even; cholesky at once, as the strongest coupling of an unknown is 0.50 in the mean");
        EXPECT_EQ(report["columns"][1]["reason"], "converged");
        EXPECT_LE(report["columns"][1]["relative_residual"], 1e-8);
    }
    EXPECT_NE(runs_of(solved({"--backend", "openmp", "--solver", "block-cg"}, "random:2")), Words{"cholesky"});
    EXPECT_EQ(runs_of(solved({"--backend", "openmp", "--rtol", "0.9"})).front(), "none") << "an iteration or two do";
    const Finished as_far = folder.run({"solve", "a.mtx", "--rtol", "0", "--rhs", "random", "--backend", "openmp"});
    EXPECT_NE(as_far.out.find("cholesky at once"), std::string::npos) << as_far.out;
    std::string mass = "%%MatrixMarket matrix coordinate real symmetric\n1000 1000 1999\n";
    for (int i = 1; i <= 1000; ++i)
        mass += fmt::format("{0} {0} 2{1}\n", i, i < 1000 ? fmt::format("\n{} {} 0.9", i + 1, i) : "");
    folder.write("a.mtx", mass);
    EXPECT_EQ(runs_of(solved({"--backend", "openmp"})).front(), "none") << "couplings of 0.45, but all are positive";
    generate({"anisotropic2d", "110", "--epsilon", "0.4"});
    EXPECT_NE(reason_of(solved({"--backend", "openmp"})).find("at once, as the condition number with jacobi is 110 at"),
              std::string::npos);
    generate({"poisson2d", "120"});
    EXPECT_EQ(runs_of(solved({"--backend", "openmp"})).front(), "none");
    generate({"elasticity3d", "8"});
    EXPECT_EQ(runs_of(solved({"--backend", "openmp"})).front(), "jacobi");
}

/// Where couplings say that it will repay, the light one's iterations are spared; what goes on after the first column
/// serves the second, and two columns at once are no vector.
TEST_F(AutomaticPreconditioner, BeginsWithASparseInverseOnADeviceWhereCouplingsAreStrong) {
#ifdef STIEFEL_HAS_CUDA
    if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    generate({"anisotropic2d", "40"});
    const Json report = solved({"--backend", "cuda"}, "random:2");
    EXPECT_EQ(runs_of(report), Words{"fsai"});
    EXPECT_EQ(reason_of(report),
              "the diagonal is even; fsai at once, as the strongest coupling of an unknown is 0.50 in the mean");
    EXPECT_EQ(report["columns"][1]["reason"], "converged");
    EXPECT_LE(report["columns"][1]["relative_residual"], 1e-8);
    EXPECT_EQ(runs_of(solved({"--backend", "cuda", "--solver", "block-cg"}, "random:2")), Words{"none"});
    generate({"poisson2d", "120"});
    EXPECT_EQ(runs_of(solved({"--backend", "cuda"})).front(), "none");
#else
    GTEST_SKIP() << "built without the CUDA backend";
#endif
}

/// A beam's bending, 8,000 iterations without a preconditioner and 1,000 with a sparse inverse; and a chain on which a
/// sparse inverse gains a third.
TEST_F(AutomaticPreconditioner, GoesOnWithAFactorOnADeviceWhereAllElseTakesLong) {
#ifdef STIEFEL_HAS_CUDA
    if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    constexpr int n = 500;
    std::string entries;
    for (int i = 1; i <= n; ++i) {
        entries += fmt::format("{0} {0} {1}\n", i, i == 1 || i == n ? 5 : 6);
        if (i + 1 <= n) entries += fmt::format("{} {} -4\n", i + 1, i);
        if (i + 2 <= n) entries += fmt::format("{} {} 1\n", i + 2, i);
    }
    folder.write("a.mtx", fmt::format("%%MatrixMarket matrix coordinate real symmetric\n{0} {0} {1}\n{2}", n, 3 * n - 3,
                                      entries));
    const Json beam = solved({"--backend", "cuda", "--rtol", "1e-6"});
    EXPECT_EQ(runs_of(beam), (Words{"fsai", "cholesky"})) << reason_of(beam);
    EXPECT_EQ(beam["preconditioner"]["runs"][0]["iterations"], cli::iterations_where_hopeless);
    EXPECT_LE(beam["preconditioner"]["runs"][1]["iterations"], 3);
    EXPECT_LE(beam["result"]["relative_residual"], 1e-6);
    generate({"poisson1d", "20000"});
    const Json chain = solved({"--backend", "cuda"});
    EXPECT_EQ(runs_of(chain), (Words{"fsai", "cholesky"})) << reason_of(chain);
    EXPECT_NE(reason_of(chain).find("fsai gave way to cholesky"), std::string::npos) << reason_of(chain);
    EXPECT_LE(chain["result"]["relative_residual"], 1e-8);
#else
    GTEST_SKIP() << "built without the CUDA backend";
#endif
}

TEST_F(AutomaticPreconditioner, DecidesForABlockAsWell) {
    generate({"poisson2d", "400"});
    const Json report = solved({"--solver", "block-cg", "--block", "2"}, "random:3");
    EXPECT_EQ(runs_of(report), (Words{"none", "amg"}));
    ASSERT_EQ(report["columns"].size(), 3u);
    EXPECT_EQ(report["columns"][2]["reason"], "converged");
    EXPECT_LT(report["columns"][2]["iterations"], 30) << "the second block begins with what was decided";
    const Json one_by_one = solved({}, "random:2");
    EXPECT_EQ(runs_of(one_by_one), (Words{"none", "amg"}));
    EXPECT_LT(one_by_one["columns"][1]["iterations"], 30);
}

TEST_F(AutomaticPreconditioner, StaysWhereFewIterationsFollow) {
    generate({"random_spd", "25000", "--shift", "0.1"});
    const Json report = solved({});
    EXPECT_EQ(runs_of(report), Words{"jacobi"});
    generate({"poisson3d", "28"});
    const Json longer = solved({"--backend", "openmp"});
    EXPECT_EQ(runs_of(longer), Words{"none"});
    EXPECT_EQ(runs_of(solved({})), Words{"none"}) << "a device need not look";
    EXPECT_GT(longer["result"]["iterations"], 60);
    EXPECT_NE(reason_of(longer).find("too few for amg"), std::string::npos) << reason_of(longer);
}

/// What was weighed, and what it took.
TEST_F(AutomaticPreconditioner, TellsWhatWasExpectedOfEachAndWhatItTook) {
    generate({"poisson2d", "400"});
    const Json report = solved({"--report", "page.html"});
    const Json& list = report["preconditioner"]["candidates"];
    ASSERT_GE(list.size(), 2u);
    EXPECT_EQ(list[0]["preconditioner"], "none");
    EXPECT_EQ(list[1]["preconditioner"], "amg");
    for (const int k : {0, 1}) {
        EXPECT_GT(list[k]["predicted_seconds"], 0.0);
        EXPECT_EQ(list[k]["weighed_after"], report["preconditioner"]["runs"][0]["iterations"]);
        EXPECT_TRUE(list[k]["taken"]);
        EXPECT_EQ(list[k]["iterations"], report["preconditioner"]["runs"][k]["iterations"]);
    }
    EXPECT_GT(list[0]["predicted_iterations"], list[1]["as_long_as_iterations"]) << "or amg would not have been taken";
    EXPECT_EQ(list[1]["setup_seconds"], report["preconditioner"]["seconds"]);
    EXPECT_NE(text.find("\nweighed    "), std::string::npos) << text;
    EXPECT_NE(folder.read("page.html").find("Preconditioners weighed"), std::string::npos);
    generate({"poisson3d", "28"});
    const Json stays = solved({"--backend", "openmp"})["preconditioner"]["candidates"];
    EXPECT_FALSE(stays[1]["taken"]);
    EXPECT_TRUE(stays[1]["seconds"].is_null());
    EXPECT_LT(stays[0]["predicted_iterations"], stays[1]["as_long_as_iterations"]);
    EXPECT_NE(text.find("too few for amg (as long as some "), std::string::npos) << text;
    const Json named = solved({"--preconditioner", "jacobi"});
    EXPECT_TRUE(named["preconditioner"]["candidates"].empty()) << "nothing was to be chosen";
}

TEST_F(AutomaticPreconditioner, LeavesSmallSystemsAlone) {
    generate({"poisson2d", "9"});
    const Json report = solved({});
    EXPECT_EQ(runs_of(report), Words{"none"});
    EXPECT_EQ(reason_of(report), "the diagonal is even");
    generate({"poisson2d", "150"});
    EXPECT_EQ(runs_of(solved({"--preconditioner", "jacobi"})), Words{"jacobi"}) << "as asked";
}

/// What the factor costs is counted before it is computed.
TEST_F(AutomaticPreconditioner, GoesOnWithAFactorisationWhereThatTakesLess) {
    generate({"poisson2d", "110"});
    for (const char* backend : {"openmp", "serial"}) {
        const Json report = solved({"--backend", backend});
        EXPECT_EQ(runs_of(report), (Words{"none", "cholesky"})) << reason_of(report);
        EXPECT_NE(reason_of(report).find("; what cholesky still needs was to take as long as some "),
                  std::string::npos);
        EXPECT_LE(report["preconditioner"]["runs"][1]["iterations"], 2);
        EXPECT_LE(report["result"]["relative_residual"], 1e-8);
    }
    generate({"poisson3d", "16"});
    EXPECT_EQ(runs_of(solved({})), Words{"none"}) << "too few iterations follow";
    generate({"poisson2d", "30"});
    const Json grown = solved({"--backend", "openmp"}, "ones");
    EXPECT_EQ(runs_of(grown), (Words{"none", "cholesky"})) << reason_of(grown);
    EXPECT_EQ(grown["preconditioner"]["runs"][0]["iterations"], 2) << "small, and the residual has grown";
}

/// With so many bytes of addresses.
Running limited(rlim_t bytes) {
    return {.before_start = [bytes] {
        const rlimit limit{bytes, bytes};
        setrlimit(RLIMIT_AS, &limit);
    }};
}

/// A set-up that does not fit is refused before it begins, with what would; `auto` goes on without it.
TEST_F(AutomaticPreconditioner, RefusesAHierarchyThatDoesNotFit) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer's own memory counts as well";
#endif
    generate({"poisson2d", "400"});
    constexpr rlim_t step = 16 << 20;
    rlim_t bytes = 2 * step;
    const auto run = [&](const char* preconditioner) {
        return folder.run({"solve", "a.mtx", "--threads", "1", "--rhs", "random", "--rtol", "1e-4", "--json", "j.json",
                           "--preconditioner", preconditioner},
                          limited(bytes));
    };
    while (run("jacobi").exit_code != 0) {  // what a program takes hangs on how it was built
        bytes += step;
        ASSERT_LT(bytes, 64 * step);
    }
    bytes += step;  // hardly more than the solve takes
    const Finished asked = run("amg");
    EXPECT_EQ(asked.exit_code, 5);
    for (const char* part : {"--preconditioner amg: ", "the set-up of amg needs 80.1 MiB", " are free",
                             "--preconditioner jacobi needs 1.22 MiB"}) {
        EXPECT_NE(asked.err.find(part), std::string::npos) << part << " in " << asked.err;
    }
    const Finished automatic = run("auto");
    EXPECT_EQ(automatic.exit_code, 0) << automatic.err;
    const Json report = Json::parse(folder.read("j.json"));
    EXPECT_EQ(runs_of(report), Words{"none"});
    EXPECT_NE(reason_of(report).find("amg was given up: out of memory: the set-up of amg needs "), std::string::npos)
        << reason_of(report);
}

/// The estimate is no less than what is taken, and not a multiple of it.
TEST_F(AutomaticPreconditioner, EstimatesWhatTheSetupTakes) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer's own memory counts as well";
#endif
    for (const Words& problem : {Words{"poisson3d", "40"}, Words{"anisotropic2d", "200"}}) {
        generate(problem);
        const Json with = solved({"--backend", "openmp", "--threads", "2", "--preconditioner", "amg"}),
                   without = solved({"--backend", "openmp", "--threads", "2", "--preconditioner", "jacobi"});
        const auto taken = with["peak_memory_bytes"].get<Size>() - without["peak_memory_bytes"].get<Size>();
        const Size estimate = amg::setup_bytes(with["matrix"]["n_rows"], with["matrix"]["nnz"]);
        EXPECT_LE(taken, estimate) << problem[0];
        EXPECT_GE(5 * taken, estimate) << problem[0];
    }
}

}  // namespace
}  // namespace stiefel::test
