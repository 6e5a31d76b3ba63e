#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/spmv/coo_faults.hpp"
#include "stiefel/spmv/cuda/scan.hpp"
#include "stiefel/spmv/cuda/shares.hpp"
#include "stiefel/spmv/cuda/sort_rows.cuh"
#include "stiefel/spmv/device_formats.hpp"

#include <limits>
#include <type_traits>

// A counting sort by row, as on the host; the places of a row are given out as blocks happen to come, and then sorted.
// Adding up goes by rows in the order of the entries. So the result does not depend on the device.

namespace stiefel {

namespace cuda {

namespace {

/// What counting finds out about all entries.
struct CooTally {
    unsigned long long n_images;       ///< mirror images that are not the entry itself
    unsigned long long first_outside;  ///< number of an entry
};
constexpr unsigned long long none_outside = ~0ull;

template <class T>
__global__ void count_kernel(CooEntries<T> coo, Index n_rows, Index n_cols, unsigned* count, CooTally* tally) {
    const Size e = thread_number();
    bool has_image = false;
    if (e < coo.n) {
        const Index row = coo.row_idx[e];
        const Index col = coo.col_idx[e];
        if (row < 0 || row >= n_rows || col < 0 || col >= n_cols) {
            atomicMin(&tally->first_outside, static_cast<unsigned long long>(e));
        } else {
            has_image = coo.has_image(e);
            atomicAdd(count + row, 1u);
            if (has_image) atomicAdd(count + col, 1u);
        }
    }
    const unsigned images = __popc(__ballot_sync(all_lanes, has_image));
    if (threadIdx.x % warp_size == 0 && images > 0) atomicAdd(&tally->n_images, images);
}

/// Counts down to 0 what count_kernel counted.
template <class T, class Offset>
__global__ void place_kernel(CooEntries<T> coo, const Offset* row_ptr, unsigned* count, unsigned* codes) {
    const Size e = thread_number();
    if (e >= coo.n) return;
    const auto give = [&](Index row, Size code) {
        codes[row_ptr[row] + atomicSub(count + row, 1u) - 1] = static_cast<unsigned>(code);
    };
    give(coo.row_idx[e], 2 * e);
    if (coo.has_image(e)) give(coo.col_idx[e], 2 * e + 1);
}

template <class Offset>
__global__ void count_columns_kernel(Index n_rows, const Offset* row_ptr, const Index* col_idx, unsigned* count) {
    const Size row = thread_number();
    if (row >= n_rows) return;
    unsigned columns = 0;
    for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
        columns += k == row_ptr[row] || col_idx[k] != col_idx[k - 1];
    }
    count[row] = columns;
}

template <class T, class Offset>
__global__ void add_up_kernel(Index n_rows, const Offset* row_ptr, const Index* col_idx, const T* values,
                              const Offset* new_row_ptr, Index* new_col_idx, T* new_values) {
    const Size row = thread_number();
    if (row >= n_rows) return;
    Offset to = new_row_ptr[row];
    for (Offset k = row_ptr[row]; k < row_ptr[row + 1];) {
        const Index col = col_idx[k];
        T sum = values[k];
        for (++k; k < row_ptr[row + 1] && col_idx[k] == col; ++k) sum += values[k];
        new_col_idx[to] = col;
        new_values[to] = sum;
        ++to;
    }
}

template <class E>
DeviceVector<E> zeros(Cuda& backend, Size n) {
    DeviceVector<E> v(backend, n);
    backend.zero_bytes(v.data(), v.bytes());
    return v;
}

template <class E>
DeviceVector<E> uploaded(Cuda& backend, const HostVector<E>& from) {
    DeviceVector<E> to(backend, from.size());
    upload(backend, from, to);
    return to;
}

template <class T, class Offset>
class CsrMaker {
public:
    CsrMaker(Cuda& backend, const CooEntries<T>& coo, Index n_rows, Size nnz)
        : backend_(backend), coo_(coo), n_rows_(n_rows), row_ptr_(backend, Size{n_rows} + 1), codes_(backend, nnz) {}

    /// `count` holds the lengths of the rows; it is left at 0.
    CsrFromCoo<T, DeviceMemory> make(DeviceVector<unsigned> count, Index n_cols) {
        offsets_from_counts(backend_, count, row_ptr_);
        place_kernel<<<element_blocks(coo_.n), element_threads, 0, backend_.stream()>>>(coo_, row_ptr_.data(),
                                                                                        count.data(), codes_.data());
        check_cuda(cudaGetLastError(), "placing the entries of a matrix");
        CsrFromCoo<T, DeviceMemory> result;
        result.csr.n_rows = n_rows_;
        result.csr.n_cols = n_cols;
        const Index longest = longest_row();
        sort(longest, result);
        codes_ = {};
        if (result.n_duplicates > 0) add_up(std::move(count), result.csr);
        result.csr.row_ptr = RowOffsets<DeviceMemory>(std::move(row_ptr_));
        result.csr.shares = csr_shares(backend_, result.csr.row_ptr, n_rows_, result.csr.nnz());
        return result;
    }

private:
    static constexpr int widest = warp_size;

    Index longest_row();
    void sort(Index longest, CsrFromCoo<T, DeviceMemory>& result);

    template <int lanes>
    void sort_short_rows(const SortedRows<T, Offset>& out, const LongRows& beyond) {
        sort_short_rows_kernel<lanes>
            <<<element_blocks(Size{n_rows_} * lanes), element_threads, 0, backend_.stream()>>>(coo_, out, beyond);
        check_cuda(cudaGetLastError(), "sorting the rows of a matrix");
    }
    void sort_short_rows(Index longest, const SortedRows<T, Offset>& out, const LongRows& beyond) {
        if (longest <= 4) return sort_short_rows<4>(out, beyond);
        if (longest <= 8) return sort_short_rows<8>(out, beyond);
        if (longest <= 16) return sort_short_rows<16>(out, beyond);
        sort_short_rows<widest>(out, beyond);
    }

    void add_up(DeviceVector<unsigned> count, DeviceCsr<T>& a);

    Cuda& backend_;
    CooEntries<T> coo_;
    Index n_rows_;
    DeviceVector<Offset> row_ptr_;
    DeviceVector<unsigned> codes_;
};

template <class Offset>
__global__ void longest_kernel(Index n_rows, const Offset* row_ptr, Index* longest) {
    const Size row = thread_number();
    const auto length = row < n_rows ? static_cast<unsigned>(row_ptr[row + 1] - row_ptr[row]) : 0u;
    const auto most = static_cast<Index>(__reduce_max_sync(all_lanes, length));
    if (threadIdx.x % warp_size == 0 && most > 0) atomicMax(longest, most);
}

template <class T, class Offset>
Index CsrMaker<T, Offset>::longest_row() {
    auto longest = zeros<Index>(backend_, 1);
    longest_kernel<<<element_blocks(n_rows_), element_threads, 0, backend_.stream()>>>(n_rows_, row_ptr_.data(),
                                                                                       longest.data());
    check_cuda(cudaGetLastError(), "looking for the longest row");
    return load(backend_, longest);
}

template <class T, class Offset>
void CsrMaker<T, Offset>::sort(Index longest, CsrFromCoo<T, DeviceMemory>& result) {
    const Size nnz = codes_.size();
    result.csr.col_idx = DeviceVector<Index>(backend_, nnz);
    result.csr.values = DeviceVector<T>(backend_, nnz);
    auto n_duplicates = zeros<unsigned long long>(backend_, 1);
    const SortedRows<T, Offset> out{.n_rows = n_rows_,
                                    .row_ptr = row_ptr_.data(),
                                    .codes = codes_.data(),
                                    .col_idx = result.csr.col_idx.data(),
                                    .values = result.csr.values.data(),
                                    .n_duplicates = n_duplicates.data()};
    DeviceVector<Index> long_rows(backend_, longest > widest ? nnz / (widest + 1) + 1 : 0);
    auto n_long = zeros<unsigned>(backend_, 1);
    const LongRows beyond{long_rows.data(), n_long.data()};
    sort_short_rows(longest, out, beyond);
    if (longest > widest) {
        DeviceVector<unsigned long long> scratch(backend_, longest > shared_keys ? nnz : 0);
        const int blocks = 4 * backend_.device().multiprocessors;
        sort_long_rows_kernel<<<static_cast<unsigned>(blocks), sort_threads, 0, backend_.stream()>>>(coo_, out, beyond,
                                                                                                     scratch.data());
        check_cuda(cudaGetLastError(), "sorting the long rows of a matrix");
    }
    result.n_duplicates = static_cast<Size>(load(backend_, n_duplicates));
}

template <class T, class Offset>
void CsrMaker<T, Offset>::add_up(DeviceVector<unsigned> count, DeviceCsr<T>& a) {
    count_columns_kernel<<<element_blocks(n_rows_), element_threads, 0, backend_.stream()>>>(
        n_rows_, row_ptr_.data(), a.col_idx.data(), count.data());
    DeviceVector<Offset> row_ptr(backend_, Size{n_rows_} + 1);
    offsets_from_counts(backend_, count, row_ptr);
    const Offset nnz = load(backend_, row_ptr.data() + n_rows_);
    DeviceVector<Index> col_idx(backend_, nnz);
    DeviceVector<T> values(backend_, nnz);
    add_up_kernel<<<element_blocks(n_rows_), element_threads, 0, backend_.stream()>>>(
        n_rows_, row_ptr_.data(), a.col_idx.data(), a.values.data(), row_ptr.data(), col_idx.data(), values.data());
    check_cuda(cudaGetLastError(), "adding up the duplicates of a matrix");
    row_ptr_ = std::move(row_ptr);
    a.col_idx = std::move(col_idx);
    a.values = std::move(values);
}

template <class T>
CsrFromCoo<T, DeviceMemory> made_on_device(Cuda& backend, const Coo<T>& coo) {
    const auto row_idx = uploaded(backend, coo.row_idx);
    const auto col_idx = uploaded(backend, coo.col_idx);
    const auto values = uploaded(backend, coo.values);
    const CooEntries<T> entries{.row_idx = row_idx.data(),
                                .col_idx = col_idx.data(),
                                .values = values.data(),
                                .n = coo.n_entries(),
                                .is_mirrored = coo.symmetry != Symmetry::general,
                                .mirror = coo.symmetry == Symmetry::skew_symmetric ? T{-1} : T{1}};
    auto count = zeros<unsigned>(backend, coo.n_rows);
    DeviceVector<CooTally> tally(backend, 1);
    store(backend, CooTally{0, none_outside}, tally);
    count_kernel<<<element_blocks(entries.n), element_threads, 0, backend.stream()>>>(entries, coo.n_rows, coo.n_cols,
                                                                                      count.data(), tally.data());
    check_cuda(cudaGetLastError(), "counting the entries of a matrix");
    const CooTally found = load(backend, tally);
    if (found.first_outside != none_outside) throw_outside(coo, static_cast<Size>(found.first_outside));
    const Size nnz = entries.n + static_cast<Size>(found.n_images);
    if (RowOffsets<DeviceMemory>::fits_narrow(nnz)) {
        return CsrMaker<T, std::int32_t>(backend, entries, coo.n_rows, nnz).make(std::move(count), coo.n_cols);
    }
    return CsrMaker<T, std::int64_t>(backend, entries, coo.n_rows, nnz).make(std::move(count), coo.n_cols);
}

}  // namespace

}  // namespace cuda

template <class T>
CsrFromCoo<T, DeviceMemory> csr_from_coo(Cuda& backend, const Coo<T>& coo) {
    require_coo_shape(coo);
    if (coo.n_entries() <= cuda::most_coded_entries) return cuda::made_on_device(backend, coo);
    OpenMP host;
    const CsrFromCoo<T> made = csr_from_coo(host, coo);
    return {.csr = to_device(backend, made.csr), .n_duplicates = made.n_duplicates};
}

template CsrFromCoo<double, DeviceMemory> csr_from_coo(Cuda&, const Coo<double>&);
template CsrFromCoo<float, DeviceMemory> csr_from_coo(Cuda&, const Coo<float>&);

}  // namespace stiefel
