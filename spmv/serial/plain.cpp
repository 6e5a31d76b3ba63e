#include "stiefel/core/reduction.hpp"
#include "stiefel/spmv/row_update.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <array>

namespace stiefel {

namespace {

template <class T>
void dot_if_asked(const Serial& backend, Index n, const SpmvArguments<T>& s) {
    if (s.dot == nullptr) return;
    *s.dot = all_sum(
        backend, blocked_sum(n, [&](Index i) { return static_cast<double>(s.x[i]) * static_cast<double>(s.y[i]); }));
}

template <class Stored, class T>
void run_csr(Serial& backend, const HostCsr<Stored>& a, const SpmvArguments<T>& s) {
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            T sum = 0;
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) sum += a.values[k] * s.x[a.col_idx[k]];
            update_row(s.y[i], sum, s.alpha, s.beta);
        }
    });
    dot_if_asked(backend, a.n_rows, s);
}

template <class T>
void run_ellpack(Serial& backend, const HostEllpack<T>& a, const SpmvArguments<T>& s) {
    for (Index i = 0; i < a.n_rows; ++i) {
        T sum = 0;
        for (Index j = 0; j < a.row_length[i]; ++j) {
            const Size k = a.position(i, j);
            sum += a.values[k] * s.x[a.col_idx[k]];
        }
        update_row(s.y[i], sum, s.alpha, s.beta);
    }
    dot_if_asked(backend, a.n_rows, s);
}

template <class Stored, class T>
void run_sell(Serial& backend, const HostSell<Stored>& a, const SpmvArguments<T>& s) {
    for (Index slice = 0; slice < a.n_slices(); ++slice) {
        for (Index lane = 0; lane < a.slice_height; ++lane) {
            const Size slot = Size{slice} * a.slice_height + lane;
            const Index row = a.row(slot);
            if (row >= a.n_rows) continue;
            T sum = 0;
            for (Index j = 0; j < a.row_length[slot]; ++j) {
                const Size k = a.slice_ptr[slice] + Size{j} * a.slice_height + lane;
                sum += a.values[k] * s.x[a.col_idx[k]];
            }
            update_row(s.y[row], sum, s.alpha, s.beta);
        }
    }
    dot_if_asked(backend, a.n_rows, s);
}

template <class Stored, class T>
void run_compressed_sell(Serial& backend, const HostCompressedSell<Stored>& a, const SpmvArguments<T>& s) {
    for (Index slice = 0; slice < a.n_slices(); ++slice) {
        for (Index lane = 0; lane < a.slice_height; ++lane) {
            const Index row = a.row(Size{slice} * a.slice_height + lane);
            if (row >= a.n_rows) continue;
            T sum = 0;
            for (Size group = a.slices[slice].group; group < a.slices[slice].end_group(); ++group) {
                const Stored value = a.values[group * a.slice_height + lane];
                if (!is_padding(value)) sum += value * s.x[a.column(slice, group, lane)];
            }
            update_row(s.y[row], sum, s.alpha, s.beta);
        }
    }
    dot_if_asked(backend, a.n_rows, s);
}

constexpr std::string_view description = "one thread, row after row; the reference of all others";

}  // namespace

template <class Stored, class T>
std::span<const SpmvKernel<Serial, HostCsr<Stored>, T>> spmv_kernels(const Serial&, const HostCsr<Stored>&,
                                                                     std::type_identity<T>) {
    static constexpr std::array list{
        SpmvKernel<Serial, HostCsr<Stored>, T>{"plain", "csr", description, "", run_csr<Stored, T>}};
    return list;
}

template <class T>
std::span<const SpmvKernel<Serial, HostEllpack<T>>> spmv_kernels(const Serial&, const HostEllpack<T>&) {
    static constexpr std::array list{
        SpmvKernel<Serial, HostEllpack<T>>{"plain", "ellpack", description, "", run_ellpack<T>}};
    return list;
}

template <class Stored, class T>
std::span<const SpmvKernel<Serial, HostSell<Stored>, T>> spmv_kernels(const Serial&, const HostSell<Stored>&,
                                                                      std::type_identity<T>) {
    static constexpr std::array list{
        SpmvKernel<Serial, HostSell<Stored>, T>{"plain", "sell", description, "", run_sell<Stored, T>}};
    return list;
}

template <class Stored, class T>
std::span<const SpmvKernel<Serial, HostCompressedSell<Stored>, T>> spmv_kernels(const Serial&,
                                                                                const HostCompressedSell<Stored>&,
                                                                                std::type_identity<T>) {
    static constexpr std::array list{SpmvKernel<Serial, HostCompressedSell<Stored>, T>{
        "plain", "compressed-sell", description, "", run_compressed_sell<Stored, T>}};
    return list;
}

template std::span<const SpmvKernel<Serial, HostEllpack<double>>> spmv_kernels(const Serial&,
                                                                               const HostEllpack<double>&);
template std::span<const SpmvKernel<Serial, HostEllpack<float>>> spmv_kernels(const Serial&, const HostEllpack<float>&);
template std::span<const SpmvKernel<Serial, HostCsr<double>, double>> spmv_kernels(const Serial&,
                                                                                   const HostCsr<double>&,
                                                                                   std::type_identity<double>);
template std::span<const SpmvKernel<Serial, HostCsr<float>, float>> spmv_kernels(const Serial&, const HostCsr<float>&,
                                                                                 std::type_identity<float>);
template std::span<const SpmvKernel<Serial, HostCsr<float>, double>> spmv_kernels(const Serial&, const HostCsr<float>&,
                                                                                  std::type_identity<double>);
template std::span<const SpmvKernel<Serial, HostSell<double>, double>> spmv_kernels(const Serial&,
                                                                                    const HostSell<double>&,
                                                                                    std::type_identity<double>);
template std::span<const SpmvKernel<Serial, HostSell<float>, float>> spmv_kernels(const Serial&, const HostSell<float>&,
                                                                                  std::type_identity<float>);
template std::span<const SpmvKernel<Serial, HostSell<float>, double>> spmv_kernels(const Serial&,
                                                                                   const HostSell<float>&,
                                                                                   std::type_identity<double>);
template std::span<const SpmvKernel<Serial, HostCompressedSell<double>, double>> spmv_kernels(
    const Serial&, const HostCompressedSell<double>&, std::type_identity<double>);
template std::span<const SpmvKernel<Serial, HostCompressedSell<float>, float>> spmv_kernels(
    const Serial&, const HostCompressedSell<float>&, std::type_identity<float>);
template std::span<const SpmvKernel<Serial, HostCompressedSell<float>, double>> spmv_kernels(
    const Serial&, const HostCompressedSell<float>&, std::type_identity<double>);

}  // namespace stiefel
