#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/coo_faults.hpp"
#include "stiefel/spmv/scan.hpp"
#include "stiefel/spmv/sort_row.hpp"

#include <algorithm>
#include <limits>
#include <vector>

// A counting sort by row. The entries are cut into chunks; each chunk counts its entries in every row that it reaches,
// so that afterwards it knows where in the row its own begin, and all chunks can place theirs at once, in order.
// Then rows that are not ascending are sorted, duplicates added up, and the gaps that these leave closed.

namespace stiefel {

namespace {

constexpr Index rows_per_task = 4096;

/// f(row, col, value) for every nonzero that entries first..last stand for.
template <class T, class F>
void for_each_nonzero(const Coo<T>& coo, Size first, Size last, F&& f) {
    const T mirror = coo.symmetry == Symmetry::skew_symmetric ? T{-1} : T{1};
    for (Size e = first; e < last; ++e) {
        const Index row = coo.row_idx[e];
        const Index col = coo.col_idx[e];
        f(row, col, coo.values[e]);
        if (coo.symmetry != Symmetry::general && row != col) f(col, row, mirror * coo.values[e]);
    }
}

/// Entries first..last and the rows row_begin..row_end that they reach.
struct Chunk {
    Size first = 0;
    Size last = 0;
    Index row_begin = 0;
    Index row_end = 0;
    Size n_nonzeros = 0;

    Size n_rows() const { return row_end - row_begin; }
};

template <class T>
bool is_outside(const Coo<T>& coo, Size e) {
    return coo.row_idx[e] < 0 || coo.row_idx[e] >= coo.n_rows || coo.col_idx[e] < 0 || coo.col_idx[e] >= coo.n_cols;
}

template <class T>
Chunk scan_chunk(const Coo<T>& coo, Size first, Size last, Size& first_outside) {
    Index least_row = std::numeric_limits<Index>::max(), least_col = least_row;
    Index most_row = -1, most_col = -1;
    Size n_diagonal = 0;
    for (Size e = first; e < last; ++e) {
        least_row = std::min(least_row, coo.row_idx[e]);
        least_col = std::min(least_col, coo.col_idx[e]);
        most_row = std::max(most_row, coo.row_idx[e]);
        most_col = std::max(most_col, coo.col_idx[e]);
        n_diagonal += coo.row_idx[e] == coo.col_idx[e];
    }
    if (first == last) return {.first = first, .last = last};
    if (least_row < 0 || least_col < 0 || most_row >= coo.n_rows || most_col >= coo.n_cols) {
        Size e = first;
        while (!is_outside(coo, e)) ++e;
        first_outside = std::min(first_outside, e);
    }
    const bool mirrored = coo.symmetry != Symmetry::general;
    return {.first = first,
            .last = last,
            .row_begin = mirrored ? std::min(least_row, least_col) : least_row,
            .row_end = (mirrored ? std::max(most_row, most_col) : most_row) + 1,
            .n_nonzeros = mirrored ? 2 * (last - first) - n_diagonal : last - first};
}

/// One chunk a thread, or fewer where their counters would take more than a fraction of the matrix: in a file sorted by
/// row or column chunks reach few rows in common, in a shuffled one every chunk reaches all rows.
template <class T>
std::vector<Chunk> make_chunks(OpenMP& backend, const Coo<T>& coo) {
    int n_chunks = backend.threads();
    std::vector<Chunk> chunks(static_cast<std::size_t>(n_chunks));
    constexpr Size none = std::numeric_limits<Size>::max();
    Size outside = none;
#pragma omp parallel for num_threads(n_chunks) schedule(static) reduction(min : outside)
    for (int c = 0; c < n_chunks; ++c) {
        chunks[static_cast<std::size_t>(c)] = scan_chunk(coo, share_begin(coo.n_entries(), n_chunks, c),
                                                         share_begin(coo.n_entries(), n_chunks, c + 1), outside);
    }
    if (outside != none) throw_outside(coo, outside);
    const auto total = [&](auto member) {
        Size sum = 0;
        for (const Chunk& chunk : chunks) sum += member(chunk);
        return sum;
    };
    const Size nnz = total([](const Chunk& chunk) { return chunk.n_nonzeros; });
    while (chunks.size() > 1 &&
           total([](const Chunk& chunk) { return chunk.n_rows(); }) > std::max<Size>(coo.n_rows, nnz / 2)) {
        std::vector<Chunk> merged;
        for (std::size_t c = 0; c < chunks.size(); c += 2) {
            merged.push_back(chunks[c]);
            if (c + 1 == chunks.size()) break;
            const Chunk& next = chunks[c + 1];
            Chunk& joined = merged.back();
            joined.last = next.last;
            if (joined.n_nonzeros == 0) joined.row_begin = next.row_begin;
            if (next.n_nonzeros > 0) joined.row_begin = std::min(joined.row_begin, next.row_begin);
            joined.row_end = std::max(joined.row_end, next.row_end);
            joined.n_nonzeros += next.n_nonzeros;
        }
        chunks = std::move(merged);
    }
    return chunks;
}

/// f(first_row, last_row) for pieces of the rows, in parallel.
template <class F>
void for_row_pieces(OpenMP& backend, Index n_rows, F&& f) {
    const Index n_tasks = n_rows / rows_per_task + (n_rows % rows_per_task != 0);
#pragma omp parallel for num_threads(backend.threads()) schedule(dynamic, 1)
    for (Index task = 0; task < n_tasks; ++task) {
        const Index first = task * rows_per_task;
        f(first, first + std::min(rows_per_task, n_rows - first));
    }
}

template <class T, class Offset>
class CountingSort {
public:
    CountingSort(OpenMP& backend, const Coo<T>& coo, std::vector<Chunk> chunks)
        : backend_(backend), coo_(coo), chunks_(std::move(chunks)), row_ptr_(Size{coo.n_rows} + 1) {}

    CsrFromCoo<T> run() {
        count();
        place();
        const Size n_duplicates = sort_rows();
        if (n_duplicates > 0) close_gaps();
        CsrFromCoo<T> result{.n_duplicates = n_duplicates};
        result.csr.n_rows = coo_.n_rows;
        result.csr.n_cols = coo_.n_cols;
        result.csr.row_ptr = RowOffsets<HostMemory>(std::move(row_ptr_));
        result.csr.col_idx = std::move(col_idx_);
        result.csr.values = std::move(values_);
        return result;
    }

private:
    /// f(chunk, cursor) on every chunk in parallel; cursor[row] belongs to the chunk.
    template <class F>
    void for_chunks(F&& f) {
        const int n_chunks = static_cast<int>(chunks_.size());
#pragma omp parallel for num_threads(backend_.threads()) schedule(static)
        for (int c = 0; c < n_chunks; ++c) f(chunks_[static_cast<std::size_t>(c)], cursors(c));
    }

    Offset* cursors(int c) {
        return cursors_.data() + cursors_begin_[static_cast<std::size_t>(c)] -
               chunks_[static_cast<std::size_t>(c)].row_begin;
    }

    /// f(row, cursor) for the chunks that reach a row among first..last, chunk by chunk.
    template <class F>
    void for_cursors(Index first, Index last, F&& f) {
        for (std::size_t c = 0; c < chunks_.size(); ++c) {
            Offset* const cursor = cursors(static_cast<int>(c));
            const Index end = std::min(last, chunks_[c].row_end);
            for (Index row = std::max(first, chunks_[c].row_begin); row < end; ++row) f(row, cursor[row]);
        }
    }

    /// Leaves row_ptr_ done and every cursor at the place of its chunk's first entry in the row.
    void count() {
        Size n_cursors = 0;
        for (const Chunk& chunk : chunks_) {
            cursors_begin_.push_back(n_cursors);
            n_cursors += chunk.n_rows();
        }
        cursors_ = HostVector<Offset>(n_cursors);
        for_chunks([&](const Chunk& chunk, Offset* cursor) {
            std::fill(cursor + chunk.row_begin, cursor + chunk.row_end, Offset{0});
            for_each_nonzero(coo_, chunk.first, chunk.last, [&](Index row, Index, T) { ++cursor[row]; });
        });
        row_ptr_[0] = 0;
        for_row_pieces(backend_, coo_.n_rows, [&](Index first, Index last) {
            Offset* const length = row_ptr_.data() + 1;
            std::fill(length + first, length + last, Offset{0});
            for_cursors(first, last, [&](Index row, Offset& cursor) {
                const Offset count = cursor;
                cursor = length[row];
                length[row] += count;
            });
        });
        inclusive_scan(backend_, row_ptr_.data(), row_ptr_.size());
        for_row_pieces(backend_, coo_.n_rows, [&](Index first, Index last) {
            for_cursors(first, last, [&](Index row, Offset& cursor) { cursor += row_ptr_[row]; });
        });
    }

    void place() {
        col_idx_ = HostVector<Index>(row_ptr_[coo_.n_rows]);
        values_ = HostVector<T>(row_ptr_[coo_.n_rows]);
        for_chunks([&](const Chunk& chunk, Offset* cursor) {
            for_each_nonzero(coo_, chunk.first, chunk.last, [&](Index row, Index col, T value) {
                const Offset k = cursor[row]++;
                col_idx_[k] = col;
                values_[k] = value;
            });
        });
        cursors_ = {};
    }

    Size sort_rows() {
        std::vector<RowSorter<T>> sorters(static_cast<std::size_t>(backend_.threads()));
        Size n_duplicates = 0;
        const Index n_tasks = coo_.n_rows / rows_per_task + (coo_.n_rows % rows_per_task != 0);
#pragma omp parallel num_threads(backend_.threads()) reduction(+ : n_duplicates)
        {
            RowSorter<T>& sorter = sorters[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(dynamic, 1)
            for (Index task = 0; task < n_tasks; ++task) {
                const Index begin = task * rows_per_task;
                const Index end = begin + std::min(rows_per_task, coo_.n_rows - begin);
                if (rows_ascend(begin, end)) continue;
                for (Index row = begin; row < end; ++row) {
                    const Size first = row_ptr_[row];
                    n_duplicates += sorter.sort_and_merge(col_idx_.data() + first, values_.data() + first,
                                                          row_ptr_[row + 1] - first);
                }
            }
        }
        return n_duplicates;
    }

    /// Whether rows [begin, end) are all in strictly ascending order, as most files have them: the columns then fall
    /// nowhere but where a row starts. Counting falls takes no branch, comparing row by row one a row.
    bool rows_ascend(Index begin, Index end) const {
        const Size first = row_ptr_[begin];
        const Size last = row_ptr_[end];
        Size falls = 0;
        for (Size k = first + 1; k < last; ++k) falls += col_idx_[k] <= col_idx_[k - 1];
        Size falls_at_starts = 0;
        for (Index row = begin; row < end; ++row) {
            const Size k = row_ptr_[row];
            if (k > first && k < row_ptr_[row + 1]) falls_at_starts += col_idx_[k] <= col_idx_[k - 1];
        }
        return falls == falls_at_starts;
    }

    void close_gaps() {
        HostVector<Offset> row_ptr(row_ptr_.size());
        row_ptr[0] = 0;
        for_row_pieces(backend_, coo_.n_rows, [&](Index first, Index last) {
            for (Index row = first; row < last; ++row) {
                const Index* const begin = col_idx_.data() + row_ptr_[row];
                const Index* const end = col_idx_.data() + row_ptr_[row + 1];
                row_ptr[row + 1] = static_cast<Offset>(std::find(begin, end, removed_column) - begin);
            }
        });
        inclusive_scan(backend_, row_ptr.data(), row_ptr.size());
        HostVector<Index> col_idx(row_ptr[coo_.n_rows]);
        HostVector<T> values(row_ptr[coo_.n_rows]);
        for_row_pieces(backend_, coo_.n_rows, [&](Index first, Index last) {
            for (Index row = first; row < last; ++row) {
                const Size length = row_ptr[row + 1] - row_ptr[row];
                std::copy_n(col_idx_.data() + row_ptr_[row], length, col_idx.data() + row_ptr[row]);
                std::copy_n(values_.data() + row_ptr_[row], length, values.data() + row_ptr[row]);
            }
        });
        row_ptr_ = std::move(row_ptr);
        col_idx_ = std::move(col_idx);
        values_ = std::move(values);
    }

    OpenMP& backend_;
    const Coo<T>& coo_;
    std::vector<Chunk> chunks_;
    std::vector<Size> cursors_begin_;
    HostVector<Offset> cursors_;
    HostVector<Offset> row_ptr_;
    HostVector<Index> col_idx_;
    HostVector<T> values_;
};

}  // namespace

template <class T>
CsrFromCoo<T> csr_from_coo(OpenMP& backend, const Coo<T>& coo) {
    require_coo_shape(coo);
    std::vector<Chunk> chunks = make_chunks(backend, coo);
    Size nnz = 0;
    for (const Chunk& chunk : chunks) nnz += chunk.n_nonzeros;
    if (RowOffsets<HostMemory>::fits_narrow(nnz)) {
        return CountingSort<T, std::int32_t>(backend, coo, std::move(chunks)).run();
    }
    return CountingSort<T, std::int64_t>(backend, coo, std::move(chunks)).run();
}

template CsrFromCoo<double> csr_from_coo(OpenMP&, const Coo<double>&);
template CsrFromCoo<float> csr_from_coo(OpenMP&, const Coo<float>&);

}  // namespace stiefel
