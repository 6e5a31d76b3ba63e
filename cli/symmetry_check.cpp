#include "stiefel/cli/symmetry_check.hpp"

#include "stiefel/analysis/symmetry.hpp"
#include "stiefel/cli/exit_code.hpp"

#include <fmt/format.h>

#include <cctype>

namespace stiefel::cli {

namespace {

std::string describe(const MirroredPair& pair) {
    return fmt::format("entry ({0}, {1}) is {2} and entry ({1}, {0}) is {3}", pair.row + 1, pair.col + 1, pair.value,
                       pair.mirrored);
}

}  // namespace

void check_symmetric(const SymmetryInfo& symmetry, const std::string& path, std::string_view who_needs,
                     std::vector<std::string>& notes) {
    if (symmetry.first) {
        throw UnsuitableInput(
            fmt::format("{0}: the matrix is not symmetric: {1}. {2:c}{3} a symmetric one; "
                        "'stiefel info {0}' shows how far from it this is",
                        path, describe(*symmetry.first), std::toupper(static_cast<unsigned char>(who_needs.front())),
                        who_needs.substr(1)));
    }
    if (symmetry.largest) {
        notes.push_back(fmt::format("{}: symmetric only up to rounding: {}", path, describe(*symmetry.largest)));
    }
}

template <class T>
void check_exactly_symmetric(OpenMP& backend, const HostCsr<T>& a, const std::string& path) {
    if (a.n_rows != a.n_cols) {
        throw UnsuitableInput(fmt::format("{}: the matrix has {} rows and {} columns, so it cannot be symmetric", path,
                                          a.n_rows, a.n_cols));
    }
    const SymmetryInfo symmetry = check_symmetry(backend, a);
    if (symmetry.exactly_symmetric()) return;
    throw UnsuitableInput(fmt::format("{}: one triangle cannot stand for both: {}", path, describe(*symmetry.largest)));
}

template void check_exactly_symmetric(OpenMP&, const HostCsr<float>&, const std::string&);
template void check_exactly_symmetric(OpenMP&, const HostCsr<double>&, const std::string&);

}  // namespace stiefel::cli
