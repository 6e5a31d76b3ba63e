// Every symmetric real matrix of the collection beside the repository with fewer than 3 000 rows: `stiefel eigen` as it
// comes finds both ends of the spectrum as a dense eigensolver does. The dense results are recorded, with how they were
// computed, in data/extreme_eigenvalues.csv.

#include "cli/program.hpp"
#include "support/real_matrices.hpp"
#include "test_paths.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace stiefel::test {
namespace {

using Json = nlohmann::json;

struct Recorded {
    std::string name;
    double n_rows = 0;
    std::vector<double> smallest = std::vector<double>(3);
    std::vector<double> largest = std::vector<double>(3);

    double norm() const { return std::max(std::abs(smallest.front()), std::abs(largest.front())); }
    friend void PrintTo(const Recorded& r, std::ostream* out) { *out << r.name; }
};

std::vector<Recorded> recorded() {
    std::vector<Recorded> all;
    std::ifstream file(STIEFEL_EIGENVALUES);
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) continue;
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream fields(line);
        Recorded r;
        fields >> r.name >> r.n_rows;
        for (double& value : r.smallest) fields >> value;
        for (double& value : r.largest) fields >> value;
        if (fields) all.push_back(r);
    }
    return all;
}

class RealEigenvalues : public ::testing::TestWithParam<Recorded> {
protected:
    /// Each value is within 1e-8 of the dense one, relative to |A|, which is what backward stability promises. Where
    /// the program says converged it is also within 1e-8 relative to itself, up to the n eps |A| that the dense
    /// eigensolver's own value is uncertain by.
    static void check(const std::string& end, const std::vector<double>& exact) {
        const Recorded& matrix = GetParam();
        Folder folder;
        const Finished run = folder.run({"eigen", real_matrix_path(matrix.name), "--count", "3", "--which", end,
                                         "--backend", "serial", "--json", "j.json", "--quiet"});
        ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 3) << run.err;
        const Json report = Json::parse(folder.read("j.json"));
        EXPECT_EQ(report["result"]["reason"] == "converged", run.exit_code == 0);
        const double uncertain = matrix.n_rows * std::numeric_limits<double>::epsilon() * matrix.norm();
        for (std::size_t j = 0; j < 3; ++j) {
            const double value = report["pairs"][j]["value"];
            const double error = std::abs(value - exact[j]);
            EXPECT_TRUE(error <= 1e-8 * matrix.norm()) << end << " " << j << ": " << value << ", not " << exact[j];
            if (report["pairs"][j]["reason"] == "converged") {
                EXPECT_TRUE(error <= 1e-8 * std::abs(exact[j]) + uncertain) << end << " " << j << ": " << value;
            }
        }
    }

    void SetUp() override {
        if (!std::filesystem::exists(real_matrix_path(GetParam().name))) {
            GTEST_SKIP() << "no " << GetParam().name << " at " << real_matrices_folder();
        }
    }
};

TEST_P(RealEigenvalues, SmallestAgreeWithADenseEigensolver) {
    check("smallest", GetParam().smallest);
}

TEST_P(RealEigenvalues, LargestAgreeWithADenseEigensolver) {
    check("largest", GetParam().largest);
}

INSTANTIATE_TEST_SUITE_P(Collection, RealEigenvalues, ::testing::ValuesIn(recorded()),
                         [](const auto& matrix) { return matrix.param.name; });

}  // namespace
}  // namespace stiefel::test
