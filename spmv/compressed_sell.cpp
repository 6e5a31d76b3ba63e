#include "stiefel/spmv/compressed_sell.hpp"

#include "stiefel/spmv/padding.hpp"
#include "stiefel/spmv/rows_by_length.hpp"
#include "stiefel/spmv/slice_plan.hpp"

#include <algorithm>
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
        measure(limit);
        const CompressedSlice& end = made_.slices[made_.n_slices()];
        made_.base = HostVector<Index>(end.group);
        made_.values = HostVector<S>(end.group * height);
        made_.distances = HostVector<std::uint16_t>(end.distance);
        for_slices([&](Index slice, const SlicePlan<Offset>& plan, std::vector<Size>& places) {
            std::copy(plan.base().begin(), plan.base().end(), made_.base.data() + made_.slices[slice].group);
            if (plan.columns() == SliceColumns::diagonals) return fill_diagonals(slice, plan, places);
            if (plan.columns() == SliceColumns::near) return fill_columns<std::uint16_t>(slice, plan);
            fill_columns<std::uint32_t>(slice, plan);
        });
        return std::move(made_);
    }

private:
    template <class F>
    void for_slices(const F& f) const {
#pragma omp parallel num_threads(backend_.threads()) if (entries_.a.nnz() > 20000)
        {
            SlicePlan<Offset> plan(row_ptr_, entries_.a.col_idx.data(), made_.n_rows, made_.n_cols);
            std::vector<Size> places;
#pragma omp for schedule(static)
            for (Index slice = 0; slice < made_.n_slices(); ++slice) {
                const Size slot = Size{slice} * height;
                plan.look_at(sizeof(S), static_cast<Index>(slot), [&](Index lane) { return made_.row(slot + lane); });
                f(slice, plan, places);
            }
        }
    }

    void measure(PaddingLimit limit) {
        const Index n = made_.n_slices();
        made_.slices = HostVector<CompressedSlice>(Size{n} + 1);
        for_slices([&](Index slice, const SlicePlan<Offset>& plan, std::vector<Size>&) {
            made_.slices[slice] = {plan.n_groups(), plan.n_distances(), plan.columns(), plan.padded()};
        });
        Size group = 0, distance = 0;
        Index widest = 0;
        for (Index slice = 0; slice < n; ++slice) {
            auto& at = made_.slices[slice];
            widest = std::max(widest, static_cast<Index>(at.group));
            group += std::exchange(at.group, group);
            distance += std::exchange(at.distance, distance);
        }
        made_.slices[n] = {.group = group, .distance = distance};
        check_padding(limit, "compressed SELL", widest, group * height, entries_.a.nnz(), sizeof(S) + sizeof(Index));
    }

    /// places: where the entries of a row go.
    void fill_diagonals(Index slice, const SlicePlan<Offset>& plan, std::vector<Size>& places) {
        S* const values = made_.values.data() + made_.slices[slice].group * height;
        if (plan.padded()) std::fill_n(values, plan.n_groups() * height, S{0});
        places.resize(static_cast<std::size_t>(plan.width()));
        for (Index lane = 0; lane < height; ++lane) {
            const Index i = slice * height + lane;
            const Size first = plan.first(lane);
            if (!plan.continues(lane)) {
                std::size_t place = 0;
                for (Index j = 0; j < plan.length(lane); ++j) {
                    while (plan.base()[place] != entries_.a.col_idx[first + j] - i) ++place;
                    places[static_cast<std::size_t>(j)] = static_cast<Size>(place) * height;
                }
            }
            for (Index j = 0; j < plan.length(lane); ++j) {
                values[places[static_cast<std::size_t>(j)] + lane] = stored(entries_.template value<S>(i, first + j));
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

}  // namespace

template <class S, class T>
CompressedSell<S> compressed_sell(OpenMP& backend, const ScaledCsr<T>& scaled, Index sigma, PaddingLimit limit) {
    require(sigma > 0, "compressed_sell: sigma must be positive");
    return scaled.a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        return Compression<S, ScaledCsr<T>, Offset>(backend, scaled, row_ptr, sigma).run(limit);
    });
}

template CompressedSell<float> compressed_sell(OpenMP&, const ScaledCsr<double>&, Index, PaddingLimit);
template CompressedSell<double> compressed_sell(OpenMP&, const ScaledCsr<double>&, Index, PaddingLimit);

}  // namespace stiefel
