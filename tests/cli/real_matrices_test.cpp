// Every matrix of the collection beside the repository that is known to be SPD: the program ends in 0 or in an honest
// other code, and x's residual, recomputed here in extended precision, is what the report says.

#include "support/real_matrices.hpp"
#include "cli/program.hpp"
#include "cli/systems.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <set>

namespace stiefel::test {
namespace {

using Json = nlohmann::json;

/// Of condition 1e10 and more: rounding decides whether and when they converge. All others do, within 4 000 iterations.
const std::set<std::string> may_fail{"bcsstk19", "bcsstk20", "fidap033", "plat362", "s3rmt3m3"};

class RealMatrix : public ::testing::TestWithParam<std::string> {};

TEST_P(RealMatrix, IsSolvedOrSaysHonestlyWhyNot) {
    if (GetParam() == "none") GTEST_SKIP() << "no real matrices at " << real_matrices_folder();
    const std::string matrix = real_matrix_path(GetParam());
    Folder folder;
    const Finished run = folder.run({"solve", matrix, "-o", "x.mtx", "--json", "j.json", "--preconditioner", "jacobi",
                                     "--max-iterations", "20000"});
    const std::map<std::string, int> codes{{"converged", 0}, {"max_iterations", 3}, {"stagnated", 3}};
    const Json result = Json::parse(folder.read("j.json"))["result"];
    ASSERT_TRUE(codes.contains(result["reason"])) << run.out << run.err;
    EXPECT_EQ(run.exit_code, codes.at(result["reason"]));
    EXPECT_TRUE(run.exit_code == 0 || may_fail.contains(GetParam())) << run.out;

    const std::vector<double> x = read_numbers(folder / "x.mtx");
    const TrueResidual residual = true_residual(matrix, x, std::vector<double>(x.size(), 1.0));
    const double reported = result["relative_residual"];
    EXPECT_TRUE(std::abs(reported - residual.relative) <= residual.rounding + 1e-9 * reported)
        << reported << " reported, is " << residual.relative << " up to " << residual.rounding;
    EXPECT_TRUE(run.exit_code != 0 || reported <= 1e-8) << reported;
}

std::vector<std::string> names_or_none() {
    std::vector<std::string> names = real_spd_matrices();
    if (names.empty()) names.push_back("none");
    return names;
}

INSTANTIATE_TEST_SUITE_P(Collection, RealMatrix, ::testing::ValuesIn(names_or_none()),
                         [](const auto& matrix) { return matrix.param; });

}  // namespace
}  // namespace stiefel::test
