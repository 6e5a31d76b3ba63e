#include "stiefel/io/matrix_cache.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/io/first_failure.hpp"
#include "stiefel/io/gzip.hpp"
#include "stiefel/io/input_file.hpp"
#include "stiefel/io/output_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>

namespace stiefel {

namespace {

constexpr std::array<char, 8> cache_magic{'s', 't', 'i', 'e', 'f', 'e', 'l', '\0'};
constexpr std::uint32_t version = 2;
constexpr std::uint32_t order_mark = 0x01020304;
constexpr std::size_t block_bytes = std::size_t{1} << 18;

/// The file starts with this; then come the notes (each ends in '\n'), the checksums of the blocks, zeros up to a
/// multiple of 64, and the arrays, each cut into blocks: those with the largest numbers first, so that all lie aligned.
struct Preamble {
    std::array<char, 8> magic;
    std::uint32_t version, order_mark;
    std::uint32_t head_checksum;  ///< of preamble (with 0 here), notes and checksums
    std::uint32_t source_checksum;
    SourceState source;
    std::int64_t nnz, n_stored, n_duplicates;
    std::uint64_t notes_bytes;
    std::int32_t n_rows, n_cols;
    std::uint8_t number_bytes, offset_bytes, symmetry, field;
    std::int32_t exponent;
};
static_assert(std::is_trivially_copyable_v<Preamble> && std::has_unique_object_representations_v<Preamble>);

std::size_t n_blocks(std::size_t bytes) {
    return (bytes + block_bytes - 1) / block_bytes;
}

using Arrays = std::array<std::span<const char>, 3>;  // in the order of the file

template <class Number>
std::span<const char> bytes_of(const Number* numbers, Size bytes) {
    return {reinterpret_cast<const char*>(numbers), static_cast<std::size_t>(bytes)};
}

template <class T>
Arrays arrays_of(const HostCsr<T>& csr) {
    const auto offsets = csr.row_ptr.visit([&](const auto* p) { return bytes_of(p, csr.row_ptr.bytes()); });
    const auto values = bytes_of(csr.values.data(), csr.values.bytes());
    const auto columns = bytes_of(csr.col_idx.data(), csr.col_idx.bytes());
    const bool offsets_first = csr.row_ptr.is_wide() || sizeof(T) == 4;
    return offsets_first ? Arrays{offsets, values, columns} : Arrays{values, offsets, columns};
}

/// Calls f(block number, its bytes) for all blocks of the arrays, in parallel.
template <class F>
void for_blocks(const OpenMP& backend, const Arrays& arrays, F&& f) {
    FirstFailure failure;
    std::vector<std::span<const char>> blocks;
    for (std::span<const char> rest : arrays) {
        for (; !rest.empty(); rest = rest.subspan(blocks.back().size())) {
            blocks.push_back(rest.first(std::min(block_bytes, rest.size())));
        }
    }
    const auto n = static_cast<Size>(blocks.size());
#pragma omp parallel for num_threads(backend.threads()) schedule(dynamic)
    for (Size k = 0; k < n; ++k) {
        failure.keep(k, [&] { f(static_cast<std::size_t>(k), blocks[static_cast<std::size_t>(k)]); });
    }
    failure.rethrow();
}

/// Why a cache is not used: for a note.
struct Unusable {
    std::string why;
};

std::uint32_t head_checksum(std::string head) {
    std::memset(head.data() + offsetof(Preamble, head_checksum), 0, sizeof(std::uint32_t));
    return crc32_of(head);
}

/// Where the arrays begin in the data, and how many bytes it has.
struct Layout {
    std::size_t row_ptr = 0, col_idx = 0, values = 0, bytes = 0;
    std::size_t blocks = 0;
};

/// Nothing if a size is impossible.
std::optional<Layout> layout_of(const Preamble& p, std::size_t file_bytes) {
    const auto most = static_cast<Size>(file_bytes);
    if (p.n_rows < 0 || p.n_cols < 0 || p.nnz < 0 || p.nnz > most || p.n_rows >= most) return {};
    if (p.offset_bytes != (RowOffsets<HostMemory>::fits_narrow(p.nnz) ? 4 : 8)) return {};
    const std::size_t offsets = (static_cast<std::size_t>(p.n_rows) + 1) * p.offset_bytes;
    const std::size_t values = static_cast<std::size_t>(p.nnz) * p.number_bytes;
    const std::size_t columns = static_cast<std::size_t>(p.nnz) * sizeof(Index);
    Layout layout{.col_idx = offsets + values, .bytes = offsets + values + columns};
    (p.offset_bytes >= p.number_bytes ? layout.values : layout.row_ptr) =
        p.offset_bytes >= p.number_bytes ? offsets : values;
    layout.blocks = n_blocks(offsets) + n_blocks(values) + n_blocks(columns);
    return layout;
}

std::size_t head_bytes(std::size_t notes_bytes, std::size_t blocks) {
    return (sizeof(Preamble) + notes_bytes + blocks * sizeof(std::uint32_t) + 63) / 64 * 64;
}

/// Preamble, notes and checksums, once they have been found whole.
struct Head {
    Preamble preamble;
    std::vector<std::string> notes;
    std::vector<std::uint32_t> checksums;
    Layout layout;
    std::size_t bytes = 0;
};

Head read_head(const InputFile& file, std::size_t number_bytes) {
    Head head;
    Preamble& p = head.preamble;
    if (file.size() < sizeof p) throw Unusable{"it is cut short"};
    file.read_at(0, {reinterpret_cast<char*>(&p), sizeof p});
    if (p.magic != cache_magic) throw Unusable{"it is no cache"};
    if (p.order_mark != order_mark) throw Unusable{"it was written on a machine of another byte order"};
    if (p.version != version) throw Unusable{"it is of another version"};
    const auto layout = layout_of(p, file.size());
    if (p.number_bytes != number_bytes || !layout || p.notes_bytes > file.size() || p.symmetry > 2 || p.field > 2) {
        throw Unusable{"it is damaged"};
    }
    head.layout = *layout;
    head.bytes = head_bytes(p.notes_bytes, layout->blocks);
    if (head.bytes + layout->bytes != file.size()) throw Unusable{"it is cut short"};
    std::string bytes(head.bytes, '\0');
    file.read_at(0, bytes);
    if (head_checksum(bytes) != p.head_checksum) throw Unusable{"it is damaged"};
    for (std::string_view rest = std::string_view(bytes).substr(sizeof p, p.notes_bytes); !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        head.notes.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    head.checksums.resize(layout->blocks);
    std::memcpy(head.checksums.data(), bytes.data() + sizeof p + p.notes_bytes,
                head.checksums.size() * sizeof(std::uint32_t));
    return head;
}

void check_source(const Preamble& p, const SourceState& now, const std::string& source, int threads) {
    if (p.source.is_same(now) && p.source.is_settled()) return;
    const bool is_same = p.source.size == now.size && p.source_checksum == checksum_of(source, threads);
    if (!is_same) throw Unusable{"the file has changed since"};
}

/// A matrix that lies in the mapped file, once every block of it has been found whole.
template <class T>
HostCsr<T> mapped_csr(OpenMP& backend, const InputFile& file, const Head& head) {
    const Preamble& p = head.preamble;
    const auto mapping = std::make_shared<Mapping>(file.map());
    if (mapping->size() != file.size()) throw Unusable{"it cannot be mapped into memory"};
    char* const data = mapping->bytes().data() + head.bytes;
    const Size n_offsets = Size{p.n_rows} + 1;
    const auto lent = [&]<class Number>(Number*, std::size_t begin, Size n) {
        return HostVector<Number>::lent(reinterpret_cast<Number*>(data + begin), n, mapping);
    };
    HostCsr<T> csr{.n_rows = p.n_rows, .n_cols = p.n_cols};
    if (p.offset_bytes == 4) {
        csr.row_ptr = RowOffsets<HostMemory>(lent(static_cast<std::int32_t*>(nullptr), head.layout.row_ptr, n_offsets));
    } else {
        csr.row_ptr = RowOffsets<HostMemory>(lent(static_cast<std::int64_t*>(nullptr), head.layout.row_ptr, n_offsets));
    }
    csr.col_idx = lent(static_cast<Index*>(nullptr), head.layout.col_idx, p.nnz);
    csr.values = lent(static_cast<T*>(nullptr), head.layout.values, p.nnz);
    for_blocks(backend, arrays_of(csr), [&](std::size_t k, std::span<const char> block) {
        if (crc32_of(block) != head.checksums[k]) throw Unusable{"it is damaged"};
    });
    return csr;
}

}  // namespace

MatrixCache::MatrixCache(std::string source) : source_(std::move(source)), state_(state_of(source_)) {}

std::string MatrixCache::path(std::size_t bytes_of_number) const {
    return source_ + (bytes_of_number == sizeof(double) ? ".stiefel-cache" : ".stiefel-cache32");
}

template <class T>
std::optional<CachedMatrix<T>> MatrixCache::load(OpenMP& backend, std::vector<std::string>& notes) {
    const std::string name = path(sizeof(T));
    if (!state_) return {};
    try {
        if (!state_of(name)) throw Unusable{""};
        const InputFile file(name);
        const Head head = read_head(file, sizeof(T));
        const Preamble& p = head.preamble;
        check_source(p, *state_, source_, backend.threads());
        return CachedMatrix<T>{.csr = mapped_csr<T>(backend, file, head),
                               .symmetry = static_cast<Symmetry>(p.symmetry),
                               .field = static_cast<MatrixMarketField>(p.field),
                               .n_stored = p.n_stored,
                               .n_duplicates = p.n_duplicates,
                               .exponent = p.exponent,
                               .notes = head.notes};
    } catch (const Unusable& problem) {
        if (!problem.why.empty()) notes.push_back(fmt::format("the cache {} was not used: {}", name, problem.why));
    } catch (const FileError& problem) {
        notes.push_back(fmt::format("the cache was not used: {}", problem.what()));
    }
    checksum_ = checksum_of(source_, backend.threads());
    return {};
}

template <class T>
void MatrixCache::save(OpenMP& backend, const CachedMatrix<T>& matrix, std::vector<std::string>& notes) const {
    const std::string name = path(sizeof(T));
    if (!state_) {
        notes.push_back(fmt::format("{} is no regular file; no cache was written", source_));
        return;
    }
    std::string note_text;
    for (const std::string& note : matrix.notes) note_text += note + '\n';
    const HostCsr<T>& csr = matrix.csr;
    const auto arrays = arrays_of(csr);
    std::vector<std::uint32_t> checksums(n_blocks(arrays[0].size()) + n_blocks(arrays[1].size()) +
                                         n_blocks(arrays[2].size()));
    try {
        for_blocks(backend, arrays,
                   [&](std::size_t k, std::span<const char> block) { checksums[k] = crc32_of(block); });
        Preamble p{.magic = cache_magic,
                   .version = version,
                   .order_mark = order_mark,
                   .head_checksum = 0,
                   .source_checksum = checksum_,
                   .source = *state_,
                   .nnz = csr.nnz(),
                   .n_stored = matrix.n_stored,
                   .n_duplicates = matrix.n_duplicates,
                   .notes_bytes = note_text.size(),
                   .n_rows = csr.n_rows,
                   .n_cols = csr.n_cols,
                   .number_bytes = sizeof(T),
                   .offset_bytes = static_cast<std::uint8_t>(csr.row_ptr.is_wide() ? 8 : 4),
                   .symmetry = static_cast<std::uint8_t>(matrix.symmetry),
                   .field = static_cast<std::uint8_t>(matrix.field),
                   .exponent = matrix.exponent};
        const auto now = state_of(source_);
        if (!now || !now->is_same(*state_) || checksum_of(source_, backend.threads()) != checksum_) {
            notes.push_back(fmt::format("{} changed while it was read; no cache was written", source_));
            return;
        }
        std::string head(sizeof p, '\0');
        std::memcpy(head.data(), &p, sizeof p);
        head += note_text;
        head.append(reinterpret_cast<const char*>(checksums.data()), checksums.size() * sizeof(std::uint32_t));
        head.resize(head_bytes(note_text.size(), checksums.size()), '\0');
        p.head_checksum = head_checksum(head);
        std::memcpy(head.data(), &p, sizeof p);
        OutputFile file(name);
        file.write(head);
        for (const std::span<const char> array : arrays) file.write({array.data(), array.size()});
        file.commit();
    } catch (const FileError& problem) {
        notes.push_back(fmt::format("no cache was written: {}", problem.what()));
    }
}

template std::optional<CachedMatrix<double>> MatrixCache::load(OpenMP&, std::vector<std::string>&);
template std::optional<CachedMatrix<float>> MatrixCache::load(OpenMP&, std::vector<std::string>&);
template void MatrixCache::save(OpenMP&, const CachedMatrix<double>&, std::vector<std::string>&) const;
template void MatrixCache::save(OpenMP&, const CachedMatrix<float>&, std::vector<std::string>&) const;

}  // namespace stiefel
