#include "stiefel/spmv/row_update.hpp"
#include "stiefel/spmv/spmm.hpp"

#include <algorithm>
#include <array>

namespace stiefel {

namespace {

/// The sums of one row of Y, taken k at a time while entry after entry of A comes in.
template <class T>
class RowOfSums {
public:
    explicit RowOfSums(const SpmmArguments<T>& s) : s_(s) {}

    void begin() { std::fill_n(sums_, s_.k, T{0}); }
    void add(T value, Index column) {
        const T* const x = s_.x + column * s_.ldx;
        for (Index j = 0; j < s_.k; ++j) sums_[j] += value * x[j];
    }
    void end(Index row) {
        T* const y = s_.y + row * s_.ldy;
        for (Index j = 0; j < s_.k; ++j) update_row(y[j], sums_[j], s_.alpha, s_.beta);
    }

private:
    const SpmmArguments<T>& s_;
    T sums_[max_spmm_columns];
};

template <class T>
void run_csr(Serial&, const HostCsr<T>& a, const SpmmArguments<T>& s) {
    RowOfSums<T> sums(s);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            sums.begin();
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) sums.add(a.values[k], a.col_idx[k]);
            sums.end(i);
        }
    });
}

template <class T>
void run_ellpack(const HostEllpack<T>& a, const SpmmArguments<T>& s, bool padding_too) {
    RowOfSums<T> sums(s);
    for (Index i = 0; i < a.n_rows; ++i) {
        const Index length = padding_too ? a.width : a.row_length[i];
        sums.begin();
        for (Index j = 0; j < length; ++j) sums.add(a.values[a.position(i, j)], a.col_idx[a.position(i, j)]);
        sums.end(i);
    }
}

template <class T>
void run_ellpack_padded(Serial&, const HostEllpack<T>& a, const SpmmArguments<T>& s) {
    run_ellpack(a, s, true);
}

template <class T>
void run_ellpack_r(Serial&, const HostEllpack<T>& a, const SpmmArguments<T>& s) {
    run_ellpack(a, s, false);
}

template <class T>
void run_sell(Serial&, const HostSell<T>& a, const SpmmArguments<T>& s) {
    RowOfSums<T> sums(s);
    for (Size slot = 0; slot < a.n_slots(); ++slot) {
        const Index row = a.row(slot);
        if (row >= a.n_rows) continue;
        const Size first = a.slice_ptr[slot / a.slice_height] + slot % a.slice_height;
        sums.begin();
        for (Index j = 0; j < a.row_length[slot]; ++j) {
            const Size k = first + Size{j} * a.slice_height;
            sums.add(a.values[k], a.col_idx[k]);
        }
        sums.end(row);
    }
}

template <class T>
void run_compressed_sell(Serial&, const HostCompressedSell<T>& a, const SpmmArguments<T>& s) {
    RowOfSums<T> sums(s);
    for (Index slice = 0; slice < a.n_slices(); ++slice) {
        for (Index lane = 0; lane < a.slice_height; ++lane) {
            const Index row = a.row(Size{slice} * a.slice_height + lane);
            if (row >= a.n_rows) continue;
            sums.begin();
            for (Size group = a.slices[slice].group; group < a.slices[slice].end_group(); ++group) {
                const T value = a.values[group * a.slice_height + lane];
                if (!is_padding(value)) sums.add(value, a.column(slice, group, lane));
            }
            sums.end(row);
        }
    }
}

constexpr std::string_view spmm_description = "one thread, row after row of Y; the reference of all others";

}  // namespace

template <class T>
std::span<const SpmmKernel<Serial, HostCsr<T>>> spmm_kernels(const Serial&, const HostCsr<T>&) {
    static constexpr std::array list{SpmmKernel<Serial, HostCsr<T>>{"plain", "csr", spmm_description, "", run_csr<T>}};
    return list;
}

template <class T>
std::span<const SpmmKernel<Serial, HostEllpack<T>>> spmm_kernels(const Serial&, const HostEllpack<T>&) {
    using Kernel = SpmmKernel<Serial, HostEllpack<T>>;
    static constexpr std::array list{
        Kernel{"padded", "ellpack", "one thread, row after row of Y, padding included",
               "Grimes, Kincaid and Young 1979", run_ellpack_padded<T>},
        Kernel{"plain", "ellpack", "row lengths are read, so that no work is done on padding",
               "Vazquez, Fernandez and Garzon 2011", run_ellpack_r<T>},
    };
    return list;
}

template <class T>
std::span<const SpmmKernel<Serial, HostSell<T>>> spmm_kernels(const Serial&, const HostSell<T>&) {
    static constexpr std::array list{
        SpmmKernel<Serial, HostSell<T>>{"plain", "sell", spmm_description, "", run_sell<T>}};
    return list;
}

template <class T>
std::span<const SpmmKernel<Serial, HostCompressedSell<T>>> spmm_kernels(const Serial&, const HostCompressedSell<T>&) {
    static constexpr std::array list{SpmmKernel<Serial, HostCompressedSell<T>>{
        "plain", "compressed-sell", spmm_description, "", run_compressed_sell<T>}};
    return list;
}

template std::span<const SpmmKernel<Serial, HostCsr<double>>> spmm_kernels(const Serial&, const HostCsr<double>&);
template std::span<const SpmmKernel<Serial, HostCsr<float>>> spmm_kernels(const Serial&, const HostCsr<float>&);
template std::span<const SpmmKernel<Serial, HostEllpack<double>>> spmm_kernels(const Serial&,
                                                                               const HostEllpack<double>&);
template std::span<const SpmmKernel<Serial, HostEllpack<float>>> spmm_kernels(const Serial&, const HostEllpack<float>&);
template std::span<const SpmmKernel<Serial, HostSell<double>>> spmm_kernels(const Serial&, const HostSell<double>&);
template std::span<const SpmmKernel<Serial, HostCompressedSell<double>>> spmm_kernels(
    const Serial&, const HostCompressedSell<double>&);
template std::span<const SpmmKernel<Serial, HostSell<float>>> spmm_kernels(const Serial&, const HostSell<float>&);
template std::span<const SpmmKernel<Serial, HostCompressedSell<float>>> spmm_kernels(const Serial&,
                                                                                     const HostCompressedSell<float>&);

}  // namespace stiefel
