#include "stiefel/preconditioner/amg/cuda/scaled_formats.hpp"

#include "stiefel/core/cuda/early_module.cuh"
#include "stiefel/preconditioner/amg/cuda/row_lanes.cuh"
#include "stiefel/spmv/cuda/shares.hpp"
#include "stiefel/spmv/products/cuda/csr_view.cuh"
#include "stiefel/spmv/products/cuda/offsets.cuh"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stiefel::amg {

namespace {

using View = cuda::CsrView<double>;

/// Rows are sorted by length within such windows, a block each.
constexpr int window = row_threads;
constexpr int height = sell_slice_height;
static_assert(height == warp_size);

/// What decides on a format.
struct RowSpread {
    unsigned long long squares = 0;       ///< of row lengths, added up
    unsigned long long plain_places = 0;  ///< of SELL without sorting
    unsigned long long sorted_places = 0;
};

/// Row lengths as SELL needs them, of a matrix.
struct SellShape {
    DeviceVector<Index> plain_width, sorted_width;  ///< by slice, times its height
    DeviceVector<Index> row_of_slot;                ///< sorted
};

struct Scales {
    const double* left;
    const double* right;
    bool invert_left;
    bool invert_right;

    explicit Scales(const ScaledMatrix& m)
        : left(m.left.numbers->data()),
          right(m.right.numbers->data()),
          invert_left(m.left.inverted),
          invert_right(m.right.inverted) {}
    __device__ double of_row(Size i) const { return invert_left ? 1 / left[i] : left[i]; }
    __device__ double of_column(Index j) const { return invert_right ? 1 / right[j] : right[j]; }
};

__global__ void __launch_bounds__(window)
    shape_kernel(View a, Size n_slots, Index* plain_width, Index* sorted_width, Index* row_of_slot, RowSpread* spread) {
    __shared__ Index length_of[window], sorted_length[window];
    const int own = static_cast<int>(threadIdx.x);
    const Size i = Size{blockIdx.x} * window + own;
    const bool is_row = i < a.n_rows;
    const Index length = is_row ? static_cast<Index>(a.row_ptr[i + 1] - a.row_ptr[i]) : -1;
    length_of[own] = length;
    __syncthreads();
    int place = own;
    if (__syncthreads_or(length != length_of[0]) != 0) {
        place = 0;
        for (int other = 0; other < window; ++other) {
            place += length_of[other] > length || (length_of[other] == length && other < own);
        }
    }
    sorted_length[place] = length;
    const Size slot = Size{blockIdx.x} * window + place;
    if (slot < n_slots) row_of_slot[slot] = is_row ? static_cast<Index>(i) : a.n_rows;
    __syncthreads();
    const auto count = static_cast<unsigned>(max(length, 0));
    const unsigned plain = __reduce_max_sync(all_lanes, count);
    const unsigned sorted = __reduce_max_sync(all_lanes, static_cast<unsigned>(max(sorted_length[own], 0)));
    auto squares = static_cast<unsigned long long>(count) * count;
    for (int step = warp_size / 2; step > 0; step /= 2) squares += __shfl_xor_sync(all_lanes, squares, step);
    const bool is_slice = i < a.n_rows && own % height == 0;
    if (is_slice) {
        plain_width[i / height] = static_cast<Index>(plain * height);
        sorted_width[i / height] = static_cast<Index>(sorted * height);
    }
    __shared__ unsigned long long of_block[3];
    if (own < 3) of_block[own] = 0;
    __syncthreads();
    if (is_slice) {
        atomicAdd(of_block, squares);
        atomicAdd(of_block + 1, static_cast<unsigned long long>(plain) * height);
        atomicAdd(of_block + 2, static_cast<unsigned long long>(sorted) * height);
    }
    __syncthreads();
    if (own == 0) {
        atomicAdd(&spread->squares, of_block[0]);
        atomicAdd(&spread->plain_places, of_block[1]);
        atomicAdd(&spread->sorted_places, of_block[2]);
    }
}

template <class S>
__global__ void fill_sell_kernel(View a, Scales scales, Size n_slots, const Size* slice_ptr, const Index* row_of_slot,
                                 Index* row_length, Index* cols, S* values) {
    const Size slot = Size{blockIdx.x} * blockDim.x + threadIdx.x;
    if (slot >= n_slots) return;
    const Size begin = slice_ptr[slot / height];
    const auto width = static_cast<Index>((slice_ptr[slot / height + 1] - begin) / height);
    const Size row = row_of_slot != nullptr ? row_of_slot[slot] : min(slot, Size{a.n_rows});
    const bool is_row = row < a.n_rows;
    const Size first = is_row ? a.row_ptr[row] : 0;
    const auto length = is_row ? static_cast<Index>(a.row_ptr[row + 1] - first) : 0;
    const double left = is_row ? scales.of_row(row) : 0;
    row_length[slot] = length;
    constexpr int together =
        4;  // entries of a thread lie behind one another: it uses what it fetched before it is gone
    Index col = 0;
    Size to = begin + slot % height;
    for (Index e = 0; e < length; e += together) {
        Index col_of[together];
        double value_of[together];
        for (int c = 0; c < together; ++c) {
            const Size k = first + min(e + c, length - 1);
            col_of[c] = a.col_idx[k];
            value_of[c] = a.values[k];
        }
        for (int c = 0; c < together && e + c < length; ++c, to += height) {
            cols[to] = col = col_of[c];
            values[to] = static_cast<S>(left * value_of[c] * scales.of_column(col));
        }
    }
    for (Index e = length; e < width; ++e, to += height) {
        cols[to] = col;
        values[to] = 0;
    }
}

template <int lanes, class S>
__global__ void fill_csr_kernel(View a, Scales scales, Index* cols, S* values) {
    const RowLanes<lanes> at;
    if (at.row >= a.n_rows) return;
    const double left = scales.of_row(at.row);
    for (Size k = a.row_ptr[at.row] + at.lane; k < a.row_ptr[at.row + 1]; k += lanes) {
        const Index j = a.col_idx[k];
        cols[k] = j;
        values[k] = static_cast<S>(left * a.values[k] * scales.of_column(j));
    }
}

template <class From, class To>
__global__ void round_kernel(Size n, const From* from, To* to) {
    const Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) to[i] = static_cast<To>(from[i]);
}

template <class From, class To>
void round_to(Cuda& backend, const DeviceVector<From>& from, DeviceVector<To>& to) {
    if (from.empty()) return;
    round_kernel<<<RowLanes<1>::blocks(from.size()), row_threads, 0, backend.stream()>>>(from.size(), from.data(),
                                                                                         to.data());
    check_cuda(cudaGetLastError(), "rounding");
}

RowOffsets<DeviceMemory> copied(Cuda& backend, const RowOffsets<DeviceMemory>& offsets) {
    return offsets.visit([&]<class Offset>(const Offset* from) {
        DeviceVector<Offset> to(backend, offsets.size());
        backend.copy_bytes(to.data(), from, to.bytes());
        return RowOffsets<DeviceMemory>(std::move(to));
    });
}

template <class S>
class ScaledOperators {
public:
    ScaledOperators(Cuda& backend, std::span<const ScaledMatrix> matrices) : backend_(backend), matrices_(matrices) {}

    std::vector<SpmvOperator<Cuda, S>> make() {
        DeviceVector<RowSpread> spreads(backend_, static_cast<Size>(matrices_.size()));
        backend_.zero_bytes(spreads.data(), spreads.bytes());
        bool any_shape = false;
        std::vector<SellShape> shapes;
        for (std::size_t m = 0; m < matrices_.size(); ++m) {
            shapes.push_back(shape_of(*matrices_[m].a, spreads.data() + m));
            any_shape |= !shapes.back().row_of_slot.empty();
        }
        HostVector<RowSpread> found(spreads.size(), RowSpread{});
        if (any_shape) download(backend_, spreads, found);
        std::vector<SpmvOperator<Cuda, S>> operators;
        for (std::size_t m = 0; m < matrices_.size(); ++m) {
            operators.push_back(make(matrices_[m], shapes[m], found[static_cast<Size>(m)]));
        }
        return operators;
    }

private:
    static constexpr Index least_rows = 1 << 16;  ///< of SELL, a thread each: fewer do not fill a device

    SellShape shape_of(const DeviceCsr<double>& a, RowSpread* spread) {
        if (a.n_rows < least_rows) return {};
        const Size windows = (Size{a.n_rows} + window - 1) / window;
        const Size slices = (Size{a.n_rows} + height - 1) / height;
        SellShape shape{DeviceVector<Index>(backend_, slices), DeviceVector<Index>(backend_, slices),
                        DeviceVector<Index>(backend_, slices * height)};
        shape_kernel<<<static_cast<unsigned>(windows), window, 0, backend_.stream()>>>(
            View(a), slices * height, shape.plain_width.data(), shape.sorted_width.data(), shape.row_of_slot.data(),
            spread);
        check_cuda(cudaGetLastError(), "looking at the lengths of rows");
        return shape;
    }

    SpmvOperator<Cuda, S> make(const ScaledMatrix& m, SellShape& shape, const RowSpread& spread) {
        constexpr double longest_rows = 12;  // uneven ones: beyond, lanes that share a row need no padding
        constexpr double most_padding = 1.5;
        const double n = m.a->n_rows, nnz = static_cast<double>(m.a->nnz());
        const double mean = n > 0 ? nnz / n : 0;
        const double variance = n > 0 ? static_cast<double>(spread.squares) / n - mean * mean : 0;
        const bool even = variance <= 0.0625 * mean * mean;
        const double places = static_cast<double>(even ? spread.plain_places : spread.sorted_places);
        const bool pads_little = places <= most_padding * nnz;
        if (m.a->n_rows < least_rows || (!even && mean > longest_rows) || !pads_little) return in_csr(m);
        return in_sell(m, shape, even, static_cast<Size>(places));
    }

    SpmvOperator<Cuda, S> in_csr(const ScaledMatrix& m) {
        const DeviceCsr<double>& a = *m.a;
        DeviceCsr<S> scaled;
        scaled.n_rows = a.n_rows;
        scaled.n_cols = a.n_cols;
        scaled.row_ptr = copied(backend_, a.row_ptr);
        scaled.col_idx = DeviceVector<Index>(backend_, a.nnz());
        scaled.values = DeviceVector<S>(backend_, a.nnz());
        const View view(a);
        with_row_lanes(view.mean_row(), [&](auto lanes) {
            fill_csr_kernel<lanes()><<<RowLanes<lanes()>::blocks(a.n_rows), row_threads, 0, backend_.stream()>>>(
                view, Scales(m), scaled.col_idx.data(), scaled.values.data());
        });
        check_cuda(cudaGetLastError(), "scaling a matrix");
        scaled.shares = csr_shares(backend_, scaled.row_ptr, scaled.n_rows, scaled.nnz());
        const auto kernels = spmv_kernels(backend_, scaled);
        // Lanes that share a row start fastest; where some are far longer than the others they would be waited for.
        constexpr double longest_row = 16;  // times the mean
        const bool shares_rows = scaled.shares.longest_row <= longest_row * view.mean_row();
        const auto named = [](const auto& kernel) { return kernel.name == "subwarp"; };
        const auto found = shares_rows ? std::ranges::find_if(kernels, named) : kernels.end() - 1;
        return SpmvOperator<Cuda, S>(std::move(scaled), *found);
    }

    SpmvOperator<Cuda, S> in_sell(const ScaledMatrix& m, SellShape& shape, bool even, Size places) {
        const View view(*m.a);
        DeviceSell<S> sell{.n_rows = view.n_rows,
                           .n_cols = view.n_cols,
                           .n_nonzeros = view.nnz,
                           .slice_height = height,
                           .sigma = even ? 1 : window};
        const cuda::Offsets<Index> offsets(backend_, even ? shape.plain_width : shape.sorted_width);
        sell.slice_ptr = offsets.template in<Size>(backend_);
        if (!even) sell.row_of_slot = std::move(shape.row_of_slot);
        sell.row_length = DeviceVector<Index>(backend_, sell.n_slots());
        sell.col_idx = DeviceVector<Index>(backend_, places);
        sell.values = DeviceVector<S>(backend_, places);
        fill_sell_kernel<<<RowLanes<1>::blocks(sell.n_slots()), row_threads, 0, backend_.stream()>>>(
            view, Scales(m), sell.n_slots(), sell.slice_ptr.data(), even ? nullptr : sell.row_of_slot.data(),
            sell.row_length.data(), sell.col_idx.data(), sell.values.data());
        check_cuda(cudaGetLastError(), "scaling a matrix");
        const auto& kernel = spmv_kernels(backend_, sell).back();
        return SpmvOperator<Cuda, S>(std::move(sell), kernel);
    }

    Cuda& backend_;
    std::span<const ScaledMatrix> matrices_;
};

}  // namespace

template <class S>
std::vector<SpmvOperator<Cuda, S>> scaled_operators(Cuda& backend, std::span<const ScaledMatrix> matrices) {
    return ScaledOperators<S>(backend, matrices).make();
}

template <class S>
DeviceVector<S> rounded(Cuda& backend, const DeviceVector<double>& numbers) {
    DeviceVector<S> to(backend, numbers.size());
    round_to(backend, numbers, to);
    return to;
}

DeviceCsr<double> in_double(Cuda& backend, const DeviceCsr<float>& a) {
    DeviceCsr<double> wide;
    wide.n_rows = a.n_rows;
    wide.n_cols = a.n_cols;
    wide.row_ptr = copied(backend, a.row_ptr);
    wide.col_idx = DeviceVector<Index>(backend, a.nnz());
    backend.copy_bytes(wide.col_idx.data(), a.col_idx.data(), a.col_idx.bytes());
    wide.values = DeviceVector<double>(backend, a.nnz());
    round_to(backend, a.values, wide.values);
    return wide;
}

template std::vector<SpmvOperator<Cuda, double>> scaled_operators(Cuda&, std::span<const ScaledMatrix>);
template std::vector<SpmvOperator<Cuda, float>> scaled_operators(Cuda&, std::span<const ScaledMatrix>);
template DeviceVector<double> rounded(Cuda&, const DeviceVector<double>&);
template DeviceVector<float> rounded(Cuda&, const DeviceVector<double>&);

}  // namespace stiefel::amg
