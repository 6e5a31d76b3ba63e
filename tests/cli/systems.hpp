#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stiefel::test {

/// "%%MatrixMarket matrix coordinate real symmetric": the 1-D Poisson matrix with n rows.
std::string poisson_text(int n);

/// The numbers of an array file, column after column, read without the library.
std::vector<double> read_numbers(const std::filesystem::path& path);

/// |b - A x| / |b| in extended precision, straight from the entries of A's file, and by how much a figure computed in
/// double may differ from it: |  (m + 2) eps (|A| |x| + |b|)  | / |b|, where m is the length of each row.
struct TrueResidual {
    double relative = 0;
    double rounding = 0;
};
TrueResidual true_residual(const std::filesystem::path& matrix, const std::vector<double>& x,
                           const std::vector<double>& b);

}  // namespace stiefel::test
