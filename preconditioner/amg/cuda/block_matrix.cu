#include "stiefel/preconditioner/amg/cuda/block_matrix.hpp"

#include "stiefel/core/cuda/early/multigrid.cuh"
#include "stiefel/core/cuda/row_lanes.cuh"
#include "stiefel/preconditioner/amg/cuda/block_rows.cuh"
#include "stiefel/spmv/cuda/scan.hpp"
#include "stiefel/spmv/products/cuda/transpose.hpp"

#include <limits>

namespace stiefel::amg {

namespace {

/// Lanes that go through the rows of a node together, one each.
constexpr int rows_together = 8;

/// f(j, k, end) for the nodes j that the rows of a node are coupled to, ascending: from k on, up to `end` at most, are
/// what is left of this lane's row where it has entries for j, which f is to go past; k = end where it has none.
template <class F>
__device__ void for_coupled_nodes(const cuda::CsrView<double>& a, Index height, Size node, int lane, F&& f) {
    constexpr Index none = std::numeric_limits<Index>::max();
    const bool is_row = lane < height && node < a.n_rows / height;
    Size k = is_row ? a.row_ptr[node * height + lane] : 0;
    const Size end = is_row ? a.row_ptr[node * height + lane + 1] : 0;
    while (true) {
        const Index own = k < end ? a.col_idx[k] / height : none;
        Index first = own;
        for (int step = rows_together / 2; step > 0; step /= 2)
            first = min(first, __shfl_xor_sync(all_lanes, first, step));
        if (!__any_sync(all_lanes, first != none)) return;
        if (first != none) f(first, k, own == first ? end : k);
    }
}

/// The columns of every row of blocks.
__global__ void count_columns_kernel(cuda::CsrView<double> a, Index height, Index* length) {
    const RowLanes<rows_together> at;
    Index n_blocks = 0;
    for_coupled_nodes(a, height, at.row, at.lane, [&](Index j, Size& k, Size end) {
        while (k < end && a.col_idx[k] / height == j) ++k;
        ++n_blocks;
    });
    if (at.row < a.n_rows / height && at.lane == 0) length[at.row] = n_blocks * height;
}

/// A lane writes its row of every block.
__global__ void fill_blocks_kernel(cuda::CsrView<double> a, Index height, const std::int32_t* row_ptr, Index* cols,
                                   double* values) {
    const RowLanes<rows_together> at;
    Size column = at.row < a.n_rows / height ? row_ptr[at.row] : 0;
    for_coupled_nodes(a, height, at.row, at.lane, [&](Index j, Size& k, Size end) {
        for (Index c = 0; c < height; ++c, ++column) {
            const Index unknown = j * height + c;
            const bool is_there = k < end && a.col_idx[k] == unknown;
            if (at.lane < height) values[column * height + at.lane] = is_there ? a.values[k] : 0;
            if (at.lane == 0) cols[column] = unknown;
            k += is_there;
        }
    });
}

/// Row i of A B: block k of A's row brings the row of B with the number of its column.
struct ProductPattern : BlockPattern {
    const Offset* a_ptr;
    const Index* a_cols;
    Index inner;  ///< of a block of A, the width
    const Offset* b_ptr;
    const Index* b_cols;

    ProductPattern(const DeviceBlockMatrix& a, const DeviceBlockMatrix& b)
        : BlockPattern(a.n_rows, b.n_cols),
          a_ptr(offsets_of(a)),
          a_cols(a.col_idx.data()),
          inner(a.width),
          b_ptr(offsets_of(b)),
          b_cols(b.col_idx.data()) {}

    __device__ Offset begin(Index i) const { return a_ptr[i] / inner; }
    __device__ Offset end(Index i) const { return a_ptr[i + 1] / inner; }
    __device__ Terms terms(Index, Offset k) const {
        const Index j = a_cols[k * inner] / inner;
        return {b_ptr[j], b_ptr[j + 1]};
    }
    __device__ Index col(Offset t) const { return b_cols[t]; }
};

template <int height, int width>
struct ProductRows : ProductPattern {
    using Pattern = ProductPattern;
    using value_type = Column<height>;
    using factor_type = Offset;

    const Column<height>* a_values;
    const Column<width>* b_values;

    ProductRows(const DeviceBlockMatrix& a, const DeviceBlockMatrix& b)
        : ProductPattern(a, b), a_values(columns_of<height>(a.values)), b_values(columns_of<width>(b.values)) {}

    __device__ static factor_type factor(Index, Offset k) { return k; }
    __device__ value_type product(factor_type k, Offset t) const {
        value_type sum{};
        add_product(a_values + Size{k} * width, b_values[t], sum);
        return sum;
    }
};

/// A block row by a warp: every column's numbers go to rows of their own.
__global__ void to_csr_kernel(Index n_rows, Index height, const std::int32_t* row_ptr, const Index* cols,
                              const double* values, std::int32_t* to_ptr, Index* to_cols, double* to_values) {
    const RowLanes<warp_size> at;
    if (at.row >= n_rows) return;
    const Size first = row_ptr[at.row], length = row_ptr[at.row + 1] - first;
    for (Index r = at.lane; r < height; r += warp_size) {
        to_ptr[at.row * height + r + 1] = static_cast<std::int32_t>(first * height + (r + 1) * length);
    }
    if (at.row == 0 && at.lane == 0) to_ptr[0] = 0;
    for (Size e = at.lane; e < length; e += warp_size) {
        const Index col = cols[first + e];
        for (Index r = 0; r < height; ++r) {
            const Size to = first * height + r * length + e;
            to_cols[to] = col;
            to_values[to] = values[(first + e) * height + r];
        }
    }
}

/// The row and the column of every block.
__global__ void places_of_blocks_kernel(Index n_rows, Index width, const std::int32_t* row_ptr, const Index* cols,
                                        Index* row, Index* column) {
    const RowLanes<warp_size> at;
    if (at.row >= n_rows) return;
    const Size end = row_ptr[at.row + 1] / width;
    for (Size b = row_ptr[at.row] / width + at.lane; b < end; b += warp_size) {
        row[b] = static_cast<Index>(at.row);
        column[b] = cols[b * width] / width;
    }
}

/// A column of the transpose each: a row of the block that it comes from.
__global__ void transpose_kernel(Size n_columns, Index height, Index width, const unsigned* number, const Index* row,
                                 const double* values, Index* to_cols, double* to_values) {
    const Size e = RowLanes<1>().row;
    if (e >= n_columns) return;
    const Size block = number[e / height];
    const Index r = static_cast<Index>(e % height);
    to_cols[e] = row[block] * height + r;
    for (Index c = 0; c < width; ++c) to_values[e * width + c] = values[(block * width + c) * height + r];
}

__global__ void scale_offsets_kernel(Size n, Index times, Index over, const std::int32_t* from, std::int32_t* to) {
    const Size i = RowLanes<1>().row;
    if (i < n) to[i] = from[i] * times / over;
}

/// from times / over, for all numbers of rows and their end.
RowOffsets<DeviceMemory> scaled_offsets(Cuda& backend, const RowOffsets<DeviceMemory>& from, Index times, Index over) {
    DeviceVector<std::int32_t> to(backend, from.size());
    scale_offsets_kernel<<<RowLanes<1>::blocks(to.size()), row_threads, 0, backend.stream()>>>(
        to.size(), times, over, cuda::OffsetsView(from).narrow(), to.data());
    return RowOffsets<DeviceMemory>(std::move(to));
}

/// As the host's: of entries as large as the range goes.
__global__ void norms_kernel(Size n_blocks, Index width, Index numbers, const Index* cols, const double* values,
                             Index* to_cols, double* norms) {
    const Size b = RowLanes<1>().row;
    if (b >= n_blocks) return;
    const double* const block = values + b * numbers;
    double largest = 0, sum = 0;
    for (Index e = 0; e < numbers; ++e) largest = max(largest, abs(block[e]));
    for (Index e = 0; e < numbers && largest > 0; ++e) sum += block[e] / largest * (block[e] / largest);
    to_cols[b] = cols[b * width] / width;
    norms[b] = largest * sqrt(sum);
}

}  // namespace

DeviceBlockMatrix to_blocks(Cuda& backend, const DeviceCsr<double>& a, Index size) {
    const cuda::CsrView<double> view(a);
    DeviceBlockMatrix m{.n_rows = a.n_rows / size,
                        .n_cols = a.n_cols,
                        .height = size,
                        .width = size,
                        .row_ptr = {},
                        .col_idx = {},
                        .values = {}};
    const unsigned blocks = RowLanes<rows_together>::blocks(m.n_rows);
    DeviceVector<Index> length(backend, m.n_rows);
    count_columns_kernel<<<blocks, row_threads, 0, backend.stream()>>>(view, size, length.data());
    const cuda::Offsets<Index> offsets(backend, length);
    const Size n_columns = load(backend, offsets.total());
    if (!RowOffsets<DeviceMemory>::fits_narrow(n_columns)) throw TooManyBlocks{};
    m.row_ptr = offsets.row_offsets(backend, n_columns);
    m.col_idx = DeviceVector<Index>(backend, n_columns);
    m.values = DeviceVector<double>(backend, n_columns * size);
    fill_blocks_kernel<<<blocks, row_threads, 0, backend.stream()>>>(view, size, offsets_of(m), m.col_idx.data(),
                                                                     m.values.data());
    check_cuda(cudaGetLastError(), "making blocks of entries");
    return m;
}

DeviceCsr<double> to_csr(Cuda& backend, const DeviceBlockMatrix& a) {
    const Size nnz = a.values.size();
    if (nnz > std::numeric_limits<std::int32_t>::max()) throw TooManyBlocks{};
    DeviceCsr<double> csr;
    csr.n_rows = a.n_rows * a.height;
    csr.n_cols = a.n_cols;
    csr.col_idx = DeviceVector<Index>(backend, nnz);
    csr.values = DeviceVector<double>(backend, nnz);
    DeviceVector<std::int32_t> row_ptr(backend, Size{csr.n_rows} + 1);
    to_csr_kernel<<<RowLanes<warp_size>::blocks(a.n_rows), row_threads, 0, backend.stream()>>>(
        a.n_rows, a.height, offsets_of(a), a.col_idx.data(), a.values.data(), row_ptr.data(), csr.col_idx.data(),
        csr.values.data());
    check_cuda(cudaGetLastError(), "writing blocks as entries");
    csr.row_ptr = RowOffsets<DeviceMemory>(std::move(row_ptr));
    return csr;
}

DeviceBlockMatrix transpose(Cuda& backend, const DeviceBlockMatrix& a) {
    const Size n_columns = a.n_blocks() * a.height;
    if (n_columns > std::numeric_limits<std::int32_t>::max()) throw TooManyBlocks{};
    DeviceVector<Index> row(backend, a.n_blocks()), column(backend, a.n_blocks());
    places_of_blocks_kernel<<<RowLanes<warp_size>::blocks(a.n_rows), row_threads, 0, backend.stream()>>>(
        a.n_rows, a.width, offsets_of(a), a.col_idx.data(), row.data(), column.data());
    const cuda::ColumnEntries blocks = cuda::entries_of_columns(backend, column, a.n_cols / a.width);
    DeviceBlockMatrix t{.n_rows = a.n_cols / a.width,
                        .n_cols = a.n_rows * a.height,
                        .height = a.width,
                        .width = a.height,
                        .row_ptr = scaled_offsets(backend, blocks.begin, a.height, 1),
                        .col_idx = DeviceVector<Index>(backend, n_columns),
                        .values = DeviceVector<double>(backend, a.values.size())};
    transpose_kernel<<<RowLanes<1>::blocks(n_columns), row_threads, 0, backend.stream()>>>(
        n_columns, a.height, a.width, blocks.number.data(), row.data(), a.values.data(), t.col_idx.data(),
        t.values.data());
    check_cuda(cudaGetLastError(), "transposing blocks");
    return t;
}

DeviceBlockMatrix product(Cuda& backend, const DeviceBlockMatrix& a, const DeviceBlockMatrix& b) {
    return with_height_and_inner(a.height, a.width, [&](auto height, auto width) {
        return built_of<height()>(backend, ProductRows<height(), width()>(a, b), b.width);
    });
}

DeviceCsr<double> block_norms(Cuda& backend, const DeviceBlockMatrix& a) {
    DeviceCsr<double> norms;
    norms.n_rows = a.n_rows;
    norms.n_cols = a.n_cols / a.width;
    norms.row_ptr = scaled_offsets(backend, a.row_ptr, 1, a.width);
    norms.col_idx = DeviceVector<Index>(backend, a.n_blocks());
    norms.values = DeviceVector<double>(backend, a.n_blocks());
    norms_kernel<<<RowLanes<1>::blocks(a.n_blocks()), row_threads, 0, backend.stream()>>>(
        a.n_blocks(), a.width, a.height * a.width, a.col_idx.data(), a.values.data(), norms.col_idx.data(),
        norms.values.data());
    check_cuda(cudaGetLastError(), "finding the norms of blocks");
    return norms;
}

}  // namespace stiefel::amg
