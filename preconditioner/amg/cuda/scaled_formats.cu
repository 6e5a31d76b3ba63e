#include "stiefel/preconditioner/amg/cuda/scaled_formats.hpp"

#include "stiefel/core/cuda/early/set_ups.cuh"
#include "stiefel/preconditioner/amg/cuda/row_spread.cuh"
#include "stiefel/preconditioner/amg/cuda/scaled_rows.cuh"
#include "stiefel/preconditioner/amg/cuda/shared_slices.cuh"
#include "stiefel/spmv/cuda/scan.hpp"
#include "stiefel/spmv/cuda/shares.hpp"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <variant>

namespace stiefel::amg {

namespace {

/// Row lengths as SELL needs them, of a matrix.
struct SellShape {
    DeviceVector<Index> plain_width, sorted_width;  ///< by slice, times its height
    DeviceVector<Index> row_of_slot;                ///< sorted
    DeviceVector<Index> aligned_width;              ///< as the widths, negative where no diagonals are shared
};

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
    ScaledOperators(Cuda& backend, std::span<const ScaledMatrix> matrices)
        : backend_(backend), matrices_(matrices), shares_(static_cast<Size>(matrices.size())) {}

    std::vector<CycleOperator<S>> make() {
        std::vector<SellShape> shapes(matrices_.size());
        HostVector<RowSpread> found(static_cast<Size>(matrices_.size()), RowSpread{});
        const auto has_shape = [](const ScaledMatrix& m) { return m.a->n_rows >= least_rows && !m.stays_csr; };
        if (std::ranges::any_of(matrices_, has_shape)) {
            DeviceVector<RowSpread> spreads(backend_, found.size());
            backend_.zero_bytes(spreads.data(), spreads.bytes());
            for (std::size_t m = 0; m < matrices_.size(); ++m) {
                if (has_shape(matrices_[m])) shapes[m] = shape_of(*matrices_[m].a, spreads.data() + m);
            }
            download(backend_, spreads, found);
        }
        std::vector<Made> made;
        for (std::size_t m = 0; m < matrices_.size(); ++m) {
            made.push_back(make(matrices_[m], shapes[m], found[static_cast<Size>(m)]));
        }
        std::vector<CsrShares*> shares;
        for (Made& each : made) {
            if (auto* const csr = std::get_if<DeviceCsr<S>>(&each)) shares.push_back(&csr->shares);
        }
        shares_.finish(backend_, shares);
        std::vector<CycleOperator<S>> operators;
        for (Made& each : made) {
            if (auto* const csr = std::get_if<DeviceCsr<S>>(&each)) {
                operators.push_back({under_kernel(std::move(*csr)), {}});
            } else {
                operators.push_back(std::get<CycleOperator<S>>(std::move(each)));
            }
        }
        return operators;
    }

private:
    /// In CSR, whose kernel is chosen when its longest row is known; or complete.
    using Made = std::variant<DeviceCsr<S>, CycleOperator<S>>;

    static constexpr Index least_rows = 1 << 16;  ///< of SELL, a thread each: fewer do not fill a device

    SellShape shape_of(const DeviceCsr<double>& a, RowSpread* spread) {
        const Size windows = (Size{a.n_rows} + window - 1) / window;
        const Size slices = (Size{a.n_rows} + height - 1) / height;
        SellShape shape{DeviceVector<Index>(backend_, slices), DeviceVector<Index>(backend_, slices),
                        DeviceVector<Index>(backend_, slices * height), DeviceVector<Index>()};
        shape_kernel<<<static_cast<unsigned>(windows), window, 0, backend_.stream()>>>(
            View(a), slices * height, shape.plain_width.data(), shape.sorted_width.data(), shape.row_of_slot.data(),
            spread);
        if (a.n_rows == a.n_cols) {
            shape.aligned_width = DeviceVector<Index>(backend_, slices);
            diagonals_kernel<<<static_cast<unsigned>(windows), window, 0, backend_.stream()>>>(
                View(a), shape.plain_width.data(), shape.aligned_width.data(), spread);
        }
        check_cuda(cudaGetLastError(), "looking at the lengths of rows");
        return shape;
    }

    Made make(const ScaledMatrix& m, SellShape& shape, const RowSpread& spread) {
        constexpr double longest_rows = 12;  // uneven ones: beyond, lanes that share a row need no padding
        constexpr double most_padding = 1.5;
        const double n = m.a->n_rows, nnz = static_cast<double>(m.a->nnz());
        const double mean = n > 0 ? nnz / n : 0;
        const double variance = n > 0 ? static_cast<double>(spread.squares) / n - mean * mean : 0;
        const bool even = variance <= 0.0625 * mean * mean;
        const double places = static_cast<double>(even ? spread.plain_places : spread.sorted_places);
        const bool pads_little = places <= most_padding * nnz;
        if (m.stays_csr || m.a->n_rows < least_rows || (!even && mean > longest_rows) || !pads_little) return in_csr(m);
        if (even && aligns(m, spread)) return aligned(m, shape, static_cast<Size>(spread.aligned_places));
        return CycleOperator<S>{in_sell(m, shape, even, static_cast<Size>(places)), {}};
    }

    /// Whether most rows share their diagonals with those beside them, and hardly more is stored for that.
    static bool aligns(const ScaledMatrix& m, const RowSpread& spread) {
        constexpr double most_padding = 1.1;
        const double slices = static_cast<double>(m.a->n_rows) / height;
        return m.a->n_rows == m.a->n_cols && static_cast<double>(spread.aligned_slices) >= 0.5 * slices &&
               static_cast<double>(spread.aligned_places) <= most_padding * static_cast<double>(m.a->nnz());
    }

    DeviceCsr<S> in_csr(const ScaledMatrix& m) {
        DeviceCsr<S> scaled = scaled_entries(m);
        scaled.shares = shares_.start(backend_, scaled.row_ptr, scaled.n_rows, scaled.nnz(), m.longest_row);
        return scaled;
    }

    DeviceCsr<S> scaled_entries(const ScaledMatrix& m) {
        if constexpr (std::is_same_v<S, double>) {
            const bool stays = m.left.numbers == nullptr && m.right.numbers == nullptr;
            if (stays && m.spare != nullptr) return std::move(*m.spare);
        }
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
        return scaled;
    }

    SpmvOperator<Cuda, S> under_kernel(DeviceCsr<S> scaled) {
        const auto kernels = spmv_kernels(backend_, scaled);
        // Lanes that share a row start fastest; where some are far longer than the others they would be waited for.
        constexpr double longest_row = 16;  // times the mean
        const bool shares_rows = scaled.shares.longest_row <= longest_row * cuda::CsrView<S>(scaled).mean_row();
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

    CycleOperator<S> aligned(const ScaledMatrix& m, SellShape& shape, Size places) {
        const View view(*m.a);
        DeviceSell<S> sell{
            .n_rows = view.n_rows, .n_cols = view.n_cols, .n_nonzeros = view.nnz, .slice_height = height, .sigma = 1};
        const Size slices = shape.aligned_width.size();
        absolute_kernel<<<RowLanes<1>::blocks(slices), row_threads, 0, backend_.stream()>>>(
            slices, shape.aligned_width.data(), shape.plain_width.data());
        const cuda::Offsets<Index> offsets(backend_, shape.plain_width);
        sell.slice_ptr = offsets.template in<Size>(backend_);
        sell.row_length = DeviceVector<Index>(backend_, sell.n_slots());
        sell.col_idx = DeviceVector<Index>(backend_, places);
        sell.values = DeviceVector<S>(backend_, places);
        DeviceVector<Index> diagonals(backend_, places / height);
        const Size windows = (sell.n_slots() + window - 1) / window;
        fill_aligned_kernel<<<static_cast<unsigned>(windows), window, 0, backend_.stream()>>>(
            view, Scales(m), sell.slice_ptr.data(), shape.aligned_width.data(), sell.row_length.data(),
            sell.col_idx.data(), sell.values.data(), diagonals.data());
        check_cuda(cudaGetLastError(), "scaling a matrix");
        const auto& kernel = spmv_kernels(backend_, sell).back();
        SliceDiagonals<Cuda> shared = share_slices(backend_, sell, std::move(diagonals));
        return {SpmvOperator<Cuda, S>(std::move(sell), kernel), std::move(shared)};
    }

    Cuda& backend_;
    std::span<const ScaledMatrix> matrices_;
    StartedShares shares_;
};

}  // namespace

template <class S>
std::vector<CycleOperator<S>> scaled_operators(Cuda& backend, std::span<const ScaledMatrix> matrices) {
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

template std::vector<CycleOperator<double>> scaled_operators(Cuda&, std::span<const ScaledMatrix>);
template std::vector<CycleOperator<float>> scaled_operators(Cuda&, std::span<const ScaledMatrix>);
template DeviceVector<double> rounded(Cuda&, const DeviceVector<double>&);
template DeviceVector<float> rounded(Cuda&, const DeviceVector<double>&);

}  // namespace stiefel::amg
