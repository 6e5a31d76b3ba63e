#pragma once

#include "stiefel/core/memory.hpp"
#include "stiefel/spmv/coo.hpp"

#include <span>
#include <string>
#include <vector>

namespace stiefel {

/// Matrix Market files (Boisvert, Pozo and Remington 1996): text of one banner line, comments, a size line, and one
/// entry a line. Read are coordinate and array files of field real, integer or pattern (every entry 1), symmetry
/// general, symmetric, skew-symmetric or hermitian (the same as symmetric for real numbers); plain, gzip-compressed, or
/// in a tar archive as the SuiteSparse collection has them, from a file, from standard input or from memory. Free in
/// its form: any case in the banner, blanks and tabs anywhere between fields and before them, blank lines and comment
/// lines anywhere, lines of any length that end in LF or CRLF, numbers as C or Fortran write them.

enum class MatrixMarketFormat { coordinate, array };
enum class MatrixMarketField { real, integer, pattern };

struct MatrixMarketHeader {
    MatrixMarketFormat format = MatrixMarketFormat::coordinate;
    MatrixMarketField field = MatrixMarketField::real;
    Symmetry symmetry = Symmetry::general;
    Index n_rows = 0;
    Index n_cols = 0;
    Size n_entries = 0;                 ///< lines of entries: as declared (coordinate), as the size asks for (array)
    std::vector<std::string> comments;  ///< between banner and size line, without the "% "
};

template <class T>
struct MatrixMarket {
    MatrixMarketHeader header;
    Coo<T> coo;
    std::vector<std::string> notes;  ///< sentences for the user: what was unusual, and what was made of it
};

/// Columns one after the other: a(i, j) = values[j * n_rows + i].
template <class T>
struct DenseArray {
    Index n_rows = 0;
    Index n_cols = 0;
    HostVector<T> values;
};

struct ReadOptions {
    int threads = 0;             ///< 0 = all that OpenMP offers
    Size chunk_bytes = 1 << 18;  ///< text that a thread takes at a time; a chunk always extends to the end of its line
    /// From an archive take `NAME/NAME<archive_suffix>.mtx`. "" takes what is being read: the matrix NAME.mtx, or the
    /// right-hand side NAME_b.mtx (read_vector, read_array); "_x" would be a solution or guess.
    std::string archive_suffix = {};
};

/// Reads a matrix; "-" is standard input. Beside Matrix Market, assembled Harwell-Boeing and Rutherford-Boeing files
/// and lines "i j value" are read (harwell_boeing.hpp, triplet_text.hpp), told by what they hold; a note says so.
/// Symmetric and skew-symmetric matrices come as their lower triangle, marked so in coo.symmetry; where the file gives
/// upper entries they are mirrored, with a note. Entries keep the file's order; duplicates and explicit zeros stay
/// (csr_from_coo adds duplicates up and counts them). The entries of an array come column by column, zeros included.
/// Every number is correctly rounded to T; integers that T cannot hold exactly are counted in a note.
/// Throws ParseError for the first fault in the file's order, whatever the threads: at its line and column, with what
/// was expected and found (line 0: the file as a whole, such as a damaged archive). FileError where it cannot be read,
/// or becomes shorter meanwhile. Streams and gzip data that go on far beyond the entries they announce are refused.
/// Cost: one pass over the text, in parallel; memory is that of the entries, which never exceeds a few times the
/// text's, whatever the file claims.
template <class T>
MatrixMarket<T> read_matrix(const std::string& path, const ReadOptions& options = {});

/// The same from bytes in memory (all that a file may hold, archives included); `name` stands for it in messages.
template <class T>
MatrixMarket<T> parse_matrix(std::span<const char> bytes, const std::string& name, const ReadOptions& options = {});

/// Reads an array of any number of columns, also from NumPy's .npy (numpy.hpp); a symmetric one is expanded. Throws as
/// read_matrix does, and ParseError for a coordinate matrix.
template <class T>
DenseArray<T> read_array(const std::string& path, const ReadOptions& options = {});
template <class T>
DenseArray<T> parse_array(std::span<const char> bytes, const std::string& name, const ReadOptions& options = {});

/// Reads a vector: an array or a coordinate matrix (duplicates add up) of one column and, unless n_rows is -1, of that
/// many rows, which are checked before anything is allocated. Throws as read_matrix does.
template <class T>
HostVector<T> read_vector(const std::string& path, Index n_rows = -1, const ReadOptions& options = {});
template <class T>
HostVector<T> parse_vector(std::span<const char> bytes, const std::string& name, Index n_rows = -1,
                           const ReadOptions& options = {});

/// Reads vectors, one a column: an array of any number of columns, or a coordinate matrix as read_vector takes it.
/// Checked and throwing as read_vector.
template <class T>
DenseArray<T> read_vectors(const std::string& path, Index n_rows = -1, const ReadOptions& options = {});

/// Reads points, one a row: what read_array() reads, and lines of three numbers even where they might be 'i j value'.
/// From an archive NAME_coord.mtx. Throws as read_array does.
template <class T>
DenseArray<T> read_points(const std::string& path, const ReadOptions& options = {});

struct WriteOptions {
    int threads = 0;                         ///< 0 = all that OpenMP offers
    std::vector<std::string> comments = {};  ///< lines below the banner, without the "% "
    bool allow_not_finite = false;           ///< writes nan and inf, for which the format has no word
};

/// Writes a matrix as `coordinate real`, with the shortest decimals that read back as the same bits. "-" is standard
/// output; a name ending in .gz is compressed. A symmetric Coo is written as it is stored. The file appears under its
/// name only when it is complete (OutputFile); on any failure nothing is left behind.
/// Throws FileError where it cannot be written; InvalidArgument where a value is NaN or infinite, unless the options
/// allow it, or the arrays of the Coo differ in length. Formatting is parallel.
template <class T>
void write_matrix(const std::string& path, const Coo<T>& matrix, const WriteOptions& options = {});

/// Writes n_cols columns of n_rows values, one after the other, as `array real general`. As write_matrix otherwise.
template <class T>
void write_array(const std::string& path, Index n_rows, Index n_cols, std::span<const T> values,
                 const WriteOptions& options = {});

}  // namespace stiefel
