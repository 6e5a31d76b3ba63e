#include "stiefel/spmv/compressed_sell.hpp"

#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/equal_slices.hpp"
#include "stiefel/spmv/padding.hpp"
#include "stiefel/spmv/row_statistics.hpp"
#include "stiefel/spmv/rows_by_length.hpp"
#include "stiefel/spmv/scaled_csr.hpp"
#include "stiefel/spmv/slice_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace stiefel {

namespace {

constexpr Index height = CompressedSell<double>::slice_height;

/// A value as it is stored: no bits are those of padding.
template <class T>
[[gnu::always_inline]] inline T stored(T value) {
    return value == T{0} ? -T{0} : value;
}

/// Both passes over the slices: what they take, then what they hold. Entries: of A, with their values.
template <class S, class Entries, class Offset>
class Compression {
public:
    Compression(OpenMP& backend, const Entries& entries, const Offset* row_ptr, Index sigma)
        : backend_(backend), entries_(entries), row_ptr_(row_ptr) {
        made_.n_rows = entries.a.n_rows;
        made_.n_cols = entries.a.n_cols;
        made_.n_nonzeros = entries.a.nnz();
        made_.row_of_slot = rows_by_length(backend, row_ptr, made_.n_rows, made_.n_slots(), sigma);
    }

    CompressedSell<S> run(PaddingLimit limit) {
        PlannedSlices planned = planned_slices(backend_, entries_.a, row_ptr_, made_.row_of_slot, sizeof(S), 1, like());
        if (const Size padded = planned.n_groups * height; !is_within(limit, padded, entries_.a.nnz())) {
            check_padding(limit, "compressed-sell", row_statistics(backend_, entries_.a.row_ptr).longest, padded,
                          entries_.a.nnz(), sizeof(S) + sizeof(Index));
        }
        made_.slices = std::move(planned.slices);
        const CompressedSlice end = made_.slices[made_.n_slices()];
        made_.base = HostVector<Index>(end.group);
        made_.values = HostVector<S>(end.group * height);
        made_.distances = HostVector<std::uint16_t>(end.distance);
        const auto fill = [&](Index slice, SlicePlan<Offset>& plan) {
            std::copy(plan.base().begin(), plan.base().end(), made_.base.data() + made_.slices[slice].group);
            if (plan.columns() == SliceColumns::diagonals) return fill_diagonals(slice, plan);
            if (plan.columns() == SliceColumns::near) return fill_columns<std::uint16_t>(slice, plan);
            fill_columns<std::uint32_t>(slice, plan);
        };
        for_slice_plans(
            backend_, entries_.a, row_ptr_, made_.row_of_slot, sizeof(S), 1, fill,
            [&](Index slice) { return !planned.is_shared(slice); },
            [&](Index slice) { return std::optional(made_.slices[slice].columns); });
        return std::move(made_);
    }

private:
    std::vector<Index> like() {
        return EqualSlices<Entries, Offset>(backend_, entries_, row_ptr_, made_.row_of_slot).find();
    }

    void fill_diagonals(Index slice, SlicePlan<Offset>& plan) {
        S* const values = made_.values.data() + made_.slices[slice].group * height;
        if (plan.padded()) std::fill_n(values, plan.n_groups() * height, S{0});
        for (Index lane = 0; lane < height; ++lane) {
            const Index i = slice * height + lane;
            Size k = plan.first(lane);
            for (const Index place : plan.places(slice * height, lane)) {
                values[Size{place} * height + lane] = stored(entries_.template value<S>(i, k++));
            }
        }
    }

    template <class Distance>
    void fill_columns(Index slice, const SlicePlan<Offset>& plan) {
        const auto& at = made_.slices[slice];
        S* const values = made_.values.data() + at.group * height;
        // 32 of them begin at a multiple of 64 bytes.
        Distance* const distances = reinterpret_cast<Distance*>(made_.distances.data() + at.distance);
        for (Index lane = 0; lane < height; ++lane) {
            const Index i = made_.row(Size{slice} * height + lane);
            const Size first = plan.first(lane);
            Size to = lane;
            Index j = 0;
            for (; j < plan.length(lane); ++j, to += height) {
                values[to] = stored(entries_.template value<S>(i, first + j));
                distances[to] =
                    static_cast<Distance>(entries_.a.col_idx[first + j] - plan.base()[static_cast<std::size_t>(j)]);
            }
            for (; j < plan.width(); ++j, to += height) {
                values[to] = S{0};
                distances[to] = 0;
            }
        }
    }

    OpenMP& backend_;
    const Entries& entries_;
    const Offset* row_ptr_;
    CompressedSell<S> made_;
};

template <class S, class Entries>
CompressedSell<S> compressed(OpenMP& backend, const Entries& entries, Index sigma, PaddingLimit limit) {
    require(sigma > 0, "compressed_sell_from_csr: sigma must be positive");
    return entries.a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        return Compression<S, Entries, Offset>(backend, entries, row_ptr, sigma).run(limit);
    });
}

}  // namespace

template <class T>
HostCompressedSell<T> compressed_sell_from_csr(OpenMP& backend, const HostCsr<T>& csr, Index sigma,
                                               PaddingLimit limit) {
    return compressed<T>(backend, Unscaled<T>{csr}, sigma, limit);
}

template <class S, class T>
HostCompressedSell<S> compressed_sell_from_csr(OpenMP& backend, const ScaledCsr<T>& scaled, Index sigma,
                                               PaddingLimit limit) {
    return compressed<S>(backend, scaled, sigma, limit);
}

template HostCompressedSell<float> compressed_sell_from_csr(OpenMP&, const HostCsr<float>&, Index, PaddingLimit);
template HostCompressedSell<double> compressed_sell_from_csr(OpenMP&, const HostCsr<double>&, Index, PaddingLimit);
template HostCompressedSell<float> compressed_sell_from_csr<float>(OpenMP&, const ScaledCsr<double>&, Index,
                                                                   PaddingLimit);
template HostCompressedSell<double> compressed_sell_from_csr<double>(OpenMP&, const ScaledCsr<double>&, Index,
                                                                     PaddingLimit);

}  // namespace stiefel
