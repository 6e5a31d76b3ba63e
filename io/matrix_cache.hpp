#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/io/source_state.hpp"
#include "stiefel/spmv/csr.hpp"

#include <optional>
#include <string>
#include <vector>

namespace stiefel {

/// A matrix as it was read from a file and converted, with what there is to say of the file.
template <class T>
struct CachedMatrix {
    HostCsr<T> csr{};
    Symmetry symmetry = Symmetry::general;  ///< as the file declares it
    MatrixMarketField field = MatrixMarketField::real;
    Size n_stored = 0;      ///< entries in the file
    Size n_duplicates = 0;  ///< of them, added to others
    int exponent = 0;       ///< the file's entries are 2^exponent times these
    std::vector<std::string> notes{};
};

/// Keeps a matrix in binary beside the file that it was read from, as NAME.stiefel-cache (single precision:
/// NAME.stiefel-cache32), so that the next reading need not parse.
///
/// What is guaranteed: a matrix is only given back, bit for bit, if the source is the file that was read: the same by
/// all that the system says of it (SourceState), or, where that differs or the file was young, by size and CRC-32 of
/// its content. The cache's own bytes are all covered by CRC-32. So a cache that is stale, damaged, of another version,
/// byte order or precision is a note, never a wrong matrix.
/// It is written beside and renamed (OutputFile): readers see it whole or not at all. The matrix given back lies in the
/// mapped file, which must therefore not be changed in place while it lives (replacing and removing it is harmless);
/// writing to the matrix does not change the file.
class MatrixCache {
public:
    /// Looks at the source: to be made before it is read. A source that is no regular file is never cached, with a
    /// note.
    explicit MatrixCache(std::string source);

    /// The matrix, if there is a cache that is good; otherwise a note why not, where there is one.
    /// Cost: one pass over the cache by all threads; one over the source where there is no matrix.
    template <class T>
    std::optional<CachedMatrix<T>> load(OpenMP& backend, std::vector<std::string>& notes);

    /// Writes the cache of a matrix that was read after load() gave none; a note where that cannot be, or the source
    /// has changed meanwhile.
    template <class T>
    void save(OpenMP& backend, const CachedMatrix<T>& matrix, std::vector<std::string>& notes) const;

    /// The name of the cache for numbers of so many bytes.
    std::string path(std::size_t bytes_of_number) const;

private:
    std::string source_;
    std::optional<SourceState> state_;
    std::uint32_t checksum_ = 0;  // of the source, before it was read
};

}  // namespace stiefel
