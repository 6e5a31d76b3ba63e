#pragma once

#include "stiefel/cli/file_words.hpp"
#include "stiefel/cli/report/computation_report.hpp"
#include "stiefel/cli/symmetry_check.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/io/matrix_cache.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stiefel::cli {

/// For help pages.
inline constexpr const char* cache_help =
    "keep the matrix in binary beside its file (A.mtx.stiefel-cache), or take it from there if it is still that of "
    "the file: ten times as fast";

/// Throws UsageError for --cache with standard input, which has no place beside it.
void check_cache(const std::string& path, bool use_cache);

/// Of a matrix on the host: as its file holds them, or as CSR where that was made or kept.
template <class T>
using MatrixEntries = std::variant<Coo<T>, CsrFromCoo<T>>;

/// A matrix as it was read, with what there is to say of the file.
template <class T>
struct MatrixSource {
    Index n_rows = 0;
    Index n_cols = 0;
    Symmetry symmetry = Symmetry::general;  ///< as the file declares it
    MatrixMarketField field = MatrixMarketField::real;
    Size n_stored = 0;  ///< entries in the file
    int exponent = 0;   ///< the file's entries are 2^exponent times these: single precision, see value_range.hpp
    MatrixEntries<T> entries{};
    std::vector<std::string> notes{};  ///< with the file's name
};

/// Reads a matrix from its file, or with use_cache from the cache beside it, which is written if it is not there or not
/// good; what became of it is noted. Adds to the times. Throws what read_matrix_in_range throws.
template <class T>
MatrixSource<T> read_matrix_source(OpenMP& host, const std::string& path, bool use_cache,
                                   ComputationReport::Seconds& seconds, StatusLine& status);

/// The same, checked to be square and perhaps symmetric. who_needs: "conjugate gradients need", for messages. Throws
/// UnsuitableInput besides.
template <class T>
MatrixSource<T> read_square_matrix(OpenMP& host, const std::string& path, bool use_cache, std::string_view who_needs,
                                   ComputationReport::Seconds& seconds, StatusLine& status);

/// Throws UnsuitableInput for a matrix that is not square, or that says to be skew-symmetric.
void check_suits(Index n_rows, Index n_cols, Symmetry symmetry, const std::string& path, std::string_view who_needs);

/// With the entries as CSR on the host. Memory: that of the file's entries and of the CSR at once, no more.
template <class T>
CachedMatrix<T> csr_of_source(OpenMP& host, MatrixSource<T> source);

/// What makes matrices for a backend, in its memory: on the host its cores, whichever backend multiplies.
template <HostBackend B>
OpenMP& matrix_maker(B&, OpenMP& host) {
    return host;
}
inline Cuda& matrix_maker(Cuda& backend, OpenMP&) {
    return backend;
}

template <class T>
CsrFromCoo<T> csr_in_memory_of(OpenMP& maker, OpenMP&, MatrixEntries<T> entries) {
    if (auto* const made = std::get_if<CsrFromCoo<T>>(&entries)) return std::move(*made);
    return csr_from_coo(maker, std::get<Coo<T>>(entries));
}

/// Device memory that the entries take beside the CSR made of them, at most.
template <class T>
Size bytes_to_convert(const Coo<T>& coo) {
    constexpr Size entry = sizeof(T) + sizeof(Index), code = 4;
    const Size most_nonzeros = coo.symmetry == Symmetry::general ? coo.n_entries() : 2 * coo.n_entries();
    return (coo.n_entries() + most_nonzeros) * (entry + code) + Size{coo.n_rows} * 12;
}

/// On the device, where the entries fit beside the CSR made of them; else on the host. Asks for all the device memory
/// that the solve will need before it goes on: two more formats while the fastest is sought, and the vectors of CG.
template <class T>
CsrFromCoo<T, DeviceMemory> csr_in_memory_of(Cuda& maker, OpenMP& host, MatrixEntries<T> entries) {
    constexpr Size formats = 2, vectors = 6;
    CsrFromCoo<T, DeviceMemory> made;
    const auto* const coo = std::get_if<Coo<T>>(&entries);
    if (coo != nullptr && maker.has_free(bytes_to_convert(*coo))) {
        made = csr_from_coo(maker, *coo);
    } else {
        const CsrFromCoo<T> on_host = csr_in_memory_of(host, host, std::exchange(entries, {}));
        maker.require_free("the system", (1 + formats) * on_host.csr.bytes());
        made = {.csr = to_device(maker, on_host.csr), .n_duplicates = on_host.n_duplicates};
    }
    maker.require_free("the system",
                       formats * made.csr.bytes() + vectors * made.csr.n_rows * static_cast<Size>(sizeof(T)));
    return made;
}

/// The CSR in the maker's memory, checked to be symmetric up to rounding, which is noted. Fills in what there is to
/// report, and adds to the times. Throws UnsuitableInput. Memory: as csr_of_source.
template <class T, class Maker>
Csr<T, typename Maker::memory> symmetric_csr(Maker& maker, OpenMP& host, MatrixSource<T> source,
                                             const std::string& path, std::string_view who_needs,
                                             ComputationReport::Matrix& matrix, ComputationReport::Seconds& seconds,
                                             std::vector<std::string>& notes, StatusLine& status) {
    Stopwatch watch;
    status.show(fmt::format("converting {}", path));
    auto [csr, n_duplicates] = csr_in_memory_of(maker, host, std::exchange(source.entries, {}));
    seconds.convert += watch.restart();
    notes = std::move(source.notes);
    note_duplicates(path, n_duplicates, notes);
    matrix = {.path = path,
              .n_rows = source.n_rows,
              .n_cols = source.n_cols,
              .nnz = csr.nnz(),
              .symmetry = std::string(word_of(source.symmetry)),
              .format = "csr",
              .bytes = csr.bytes()};
    if (source.symmetry == Symmetry::general) check_symmetric(maker, csr, path, who_needs, notes);
    seconds.setup += watch.seconds();
    return std::move(csr);
}

}  // namespace stiefel::cli
