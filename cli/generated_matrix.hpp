#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/problems/problem_list.hpp"

#include <string>
#include <string_view>

namespace stiefel::cli {

/// Whether this stands for a matrix that is made in place of one that is read: "generate:poisson3d:160:80:80",
/// "generate:anisotropic2d:300:epsilon=1e-3". A file of such a name is "./generate:...".
bool is_generated(std::string_view path);

/// A problem of the library's list and its arguments.
struct GeneratedMatrix {
    const Problem* problem;
    ProblemArguments arguments;

    /// What the file of it declares.
    Symmetry symmetry() const {
        return problem->kind == ProblemKind::general ? Symmetry::general : Symmetry::symmetric;
    }
};

/// What the words stand for; sizes follow the kind, parameters are given by name. Throws UsageError: the words, what is
/// wrong with them, and the kinds or parameters there are.
GeneratedMatrix generated_matrix(const std::string& words);

/// As `stiefel generate` would write it and a reader read it.
MatrixMarket<double> generated_file(OpenMP& host, const std::string& words);

/// Throws UsageError if it is generated, and what an option asks for lies beside files only.
void check_from_file(std::string_view flag, const std::string& path);

}  // namespace stiefel::cli
