#include "stiefel/cli/matrix_input.hpp"

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/file_words.hpp"
#include "stiefel/cli/symmetry_check.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/spmv/convert.hpp"

#include <fmt/format.h>

#include <utility>

namespace stiefel::cli {

namespace {

void check_header(const MatrixMarketHeader& header, const std::string& path, std::string_view who_needs) {
    if (header.n_rows != header.n_cols) {
        throw UnsuitableInput(fmt::format("{}: the matrix has {} rows and {} columns; {} a square one", path,
                                          header.n_rows, header.n_cols, who_needs));
    }
    if (header.symmetry == Symmetry::skew_symmetric && header.n_rows > 0) {
        throw UnsuitableInput(
            fmt::format("{}: the matrix is skew-symmetric, its diagonal is zero; {} a symmetric one", path, who_needs));
    }
}

}  // namespace

template <class T>
HostCsr<T> read_symmetric_matrix(OpenMP& backend, const std::string& path, std::string_view who_needs,
                                 SolveReport::Matrix& matrix, SolveReport::Seconds& seconds,
                                 std::vector<std::string>& notes, StatusLine& status) {
    Stopwatch watch;
    status.show(fmt::format("reading {}", path));
    MatrixMarket<T> file = read_matrix<T>(path, {.threads = backend.threads()});
    seconds.read += watch.restart();
    check_header(file.header, path, who_needs);
    notes = noted(path, file.notes);

    status.show(fmt::format("converting {}", path));
    CsrFromCoo<T> converted = csr_from_coo(backend, std::exchange(file.coo, {}));
    note_duplicates(path, converted.n_duplicates, notes);
    seconds.convert += watch.restart();
    matrix = {.path = path,
              .n_rows = file.header.n_rows,
              .n_cols = file.header.n_cols,
              .nnz = converted.csr.nnz(),
              .symmetry = std::string(word_of(file.header.symmetry)),
              .format = "csr",
              .bytes = converted.csr.bytes()};
    if (file.header.symmetry == Symmetry::general) check_symmetric(backend, converted.csr, path, who_needs, notes);
    seconds.setup += watch.seconds();
    return std::move(converted.csr);
}

template HostCsr<float> read_symmetric_matrix(OpenMP&, const std::string&, std::string_view, SolveReport::Matrix&,
                                              SolveReport::Seconds&, std::vector<std::string>&, StatusLine&);
template HostCsr<double> read_symmetric_matrix(OpenMP&, const std::string&, std::string_view, SolveReport::Matrix&,
                                               SolveReport::Seconds&, std::vector<std::string>&, StatusLine&);

}  // namespace stiefel::cli
