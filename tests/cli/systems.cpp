#include "cli/systems.hpp"

#include "stiefel/io/matrix_market.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace stiefel::test {

std::string poisson_text(int n) {
    std::string text = "%%MatrixMarket matrix coordinate real symmetric\n";
    text += std::to_string(n) + " " + std::to_string(n) + " " + std::to_string(2 * n - 1) + "\n";
    for (int i = 1; i <= n; ++i) {
        text += std::to_string(i) + " " + std::to_string(i) + " 2\n";
        if (i > 1) text += std::to_string(i) + " " + std::to_string(i - 1) + " -1\n";
    }
    return text;
}

std::vector<double> read_numbers(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line) && line.starts_with('%')) {
    }
    std::vector<double> numbers;
    for (double value; file >> value;) numbers.push_back(value);
    std::size_t rows = 0, columns = 0;
    std::istringstream(line) >> rows >> columns;
    if (numbers.size() != rows * columns)
        throw std::runtime_error(path.string() + ": the size line does not say what follows");
    return numbers;
}

TrueResidual true_residual(const std::filesystem::path& matrix, const std::vector<double>& x,
                           const std::vector<double>& b) {
    const auto file = read_matrix<double>(matrix.string());
    const Coo<double>& a = file.coo;
    if (x.size() != static_cast<std::size_t>(a.n_rows) || b.size() != x.size()) {
        throw std::runtime_error("true_residual: A, x and b differ in size");
    }
    std::vector<long double> residual(b.begin(), b.end()), magnitude(b.size()), length(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) magnitude[i] = std::abs(b[i]);
    const auto subtract = [&](std::size_t i, std::size_t j, long double value) {
        residual[i] -= value * x[j];
        magnitude[i] += std::abs(value * x[j]);
        ++length[i];
    };
    for (Size e = 0; e < a.n_entries(); ++e) {
        const auto i = static_cast<std::size_t>(a.row_idx[e]), j = static_cast<std::size_t>(a.col_idx[e]);
        subtract(i, j, a.values[e]);
        if (a.symmetry == Symmetry::symmetric && i != j) subtract(j, i, a.values[e]);
    }
    long double squared = 0, rounding = 0, rhs = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        const long double bound = (length[i] + 2) * std::numeric_limits<double>::epsilon() * magnitude[i];
        squared += residual[i] * residual[i];
        rounding += bound * bound;
        rhs += static_cast<long double>(b[i]) * b[i];
    }
    return {static_cast<double>(std::sqrt(squared / rhs)), static_cast<double>(std::sqrt(rounding / rhs))};
}

}  // namespace stiefel::test
