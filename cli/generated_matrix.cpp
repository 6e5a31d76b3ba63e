#include "stiefel/cli/generated_matrix.hpp"

#include "stiefel/cli/options.hpp"
#include "stiefel/core/error.hpp"
#include "stiefel/spmv/convert.hpp"

#include <fmt/format.h>

#include <sstream>
#include <utility>
#include <vector>

namespace stiefel::cli {

namespace {

constexpr std::string_view mark = "generate:";

std::vector<std::string> parts_of(const std::string& words) {
    std::vector<std::string> parts;
    std::istringstream text(words.substr(mark.size()));
    for (std::string part; std::getline(text, part, ':');) parts.push_back(part);
    if (parts.empty()) parts.emplace_back();
    return parts;
}

const Problem& problem_of(const std::string& name) {
    std::vector<std::string_view> names;
    for (const Problem& problem : problems()) names.push_back(problem.name);
    return problems()[find_word("kind", name, names)];
}

GeneratedMatrix parsed(const std::string& words) {
    const std::vector<std::string> parts = parts_of(words);
    const Problem& problem = problem_of(parts.front());
    GeneratedMatrix matrix{&problem, ProblemArguments(problem)};
    std::vector<std::string> sizes;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const std::size_t equals = parts[i].find('=');
        if (equals == std::string::npos) {
            sizes.push_back(parts[i]);
        } else {
            matrix.arguments.set(parts[i].substr(0, equals), std::string_view(parts[i]).substr(equals + 1));
        }
    }
    matrix.arguments.set_sizes(sizes);
    static_cast<void>(problem.source(matrix.arguments));  // checks their ranges
    return matrix;
}

}  // namespace

bool is_generated(std::string_view path) {
    return path.starts_with(mark);
}

GeneratedMatrix generated_matrix(const std::string& words) {
    try {
        return parsed(words);
    } catch (const Error& problem) {
        throw UsageError(fmt::format("{}: {}", words, problem.what()));
    }
}

MatrixMarket<double> generated_file(OpenMP& host, const std::string& words) {
    const GeneratedMatrix matrix = generated_matrix(words);
    const HostCsr<double> csr = matrix.problem->make<double>(host, matrix.arguments);
    MatrixMarket<double> file;
    file.coo = coo_from_csr(host, csr, matrix.symmetry() == Symmetry::symmetric);
    file.header.symmetry = matrix.symmetry();
    file.header.n_rows = csr.n_rows;
    file.header.n_cols = csr.n_cols;
    file.header.n_entries = file.coo.n_entries();
    return file;
}

void check_from_file(std::string_view flag, const std::string& path) {
    if (!is_generated(path)) return;
    throw UsageError(
        fmt::format("{}: {} is made, not read; write it first: 'stiefel generate KIND SIZES -o FILE'", flag, path));
}

}  // namespace stiefel::cli
