#include "stiefel/spmv/compressed_sell.hpp"

#include "stiefel/spmv/padding.hpp"
#include "stiefel/spmv/rows_by_length.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

namespace stiefel {

namespace {

constexpr Index height = 32;

/// A slice of rows of a CSR matrix, and how it is best kept.
template <class T, class Offset>
class SlicePlan {
public:
    SlicePlan(const HostCsr<T>& a, const Offset* row_ptr) : a_(a), row_ptr_(row_ptr) {}

    /// value_bytes: of an entry. row(lane): the row in that lane, n_rows if there is none.
    template <class Row>
    void look_at(Size value_bytes, Index first_row, bool in_order, const Row& row) {
        width_ = 0;
        n_entries_ = 0;
        for (Index lane = 0; lane < height; ++lane) {
            const Index i = row(lane);
            first_[lane] = i < a_.n_rows ? Size{row_ptr_[i]} : 0;
            length_[lane] = i < a_.n_rows ? static_cast<Index>(row_ptr_[i + 1] - row_ptr_[i]) : 0;
            width_ = std::max(width_, length_[lane]);
            n_entries_ += length_[lane];
        }
        // As many bytes as the entries take otherwise, each with two for its column.
        const Size most = Size{width_} * (height * (value_bytes + 2)) / (height * value_bytes);
        if (in_order && find_diagonals(first_row, most)) {
            columns_ = SliceColumns::diagonals;
        } else {
            columns_ = find_least_columns() ? SliceColumns::near : SliceColumns::far;
        }
    }

    SliceColumns columns() const { return columns_; }
    Index width() const { return width_; }
    Size n_entries() const { return n_entries_; }
    std::span<const Index> base() const { return base_; }
    Size n_distances() const {
        const Size per_entry = columns_ == SliceColumns::diagonals ? 0 : columns_ == SliceColumns::near ? 1 : 2;
        return per_entry * height * static_cast<Size>(base_.size());
    }
    Index length(Index lane) const { return length_[static_cast<std::size_t>(lane)]; }
    Size first(Index lane) const { return first_[static_cast<std::size_t>(lane)]; }

private:
    /// The diagonals that the rows first_row, first_row + 1, ... have entries on, if they are at most so many, and end
    /// nowhere within the slice.
    bool find_diagonals(Index first_row, Size most) {
        if (first_row > a_.n_rows - height || width_ == 0) return false;
        base_.clear();
        for (Index lane = 0; lane < height; ++lane) {
            const Index i = first_row + lane;
            std::size_t place = 0;
            for (Size k = first(lane); k < first(lane) + length(lane); ++k) {
                const Index diagonal = a_.col_idx[k] - i;
                while (place < base_.size() && base_[place] < diagonal) ++place;
                if (place < base_.size() && base_[place] == diagonal) continue;
                if (static_cast<Size>(base_.size()) == most) return false;
                base_.insert(base_.begin() + static_cast<std::ptrdiff_t>(place), diagonal);
            }
        }
        return first_row >= -base_.front() && Size{first_row} + height - 1 + base_.back() < a_.n_cols;
    }

    /// Of each group; whether all others lie within 16 bits of it.
    bool find_least_columns() {
        base_.assign(static_cast<std::size_t>(width_), std::numeric_limits<Index>::max());
        most_.assign(static_cast<std::size_t>(width_), 0);
        for (Index lane = 0; lane < height; ++lane) {
            const Index* const cols = a_.col_idx.data() + first(lane);
            for (Index j = 0; j < length(lane); ++j) {
                base_[static_cast<std::size_t>(j)] = std::min(base_[static_cast<std::size_t>(j)], cols[j]);
                most_[static_cast<std::size_t>(j)] = std::max(most_[static_cast<std::size_t>(j)], cols[j]);
            }
        }
        bool are_near = true;
        for (std::size_t j = 0; j < base_.size(); ++j) {
            are_near &= most_[j] - base_[j] <= std::numeric_limits<std::uint16_t>::max();
        }
        return are_near;
    }

    const HostCsr<T>& a_;
    const Offset* row_ptr_;
    std::array<Size, height> first_{};
    std::array<Index, height> length_{};
    Index width_ = 0;
    Size n_entries_ = 0;
    SliceColumns columns_ = SliceColumns::far;
    std::vector<Index> base_, most_;
};

/// Both passes over the slices: what they take, then what they hold.
template <class S, class T, class Offset>
class Compression {
public:
    Compression(OpenMP& backend, const ScaledCsr<T>& scaled, const Offset* row_ptr, Index sigma)
        : backend_(backend), scaled_(scaled), row_ptr_(row_ptr) {
        made_.n_rows = scaled.a.n_rows;
        made_.n_cols = scaled.a.n_cols;
        made_.n_nonzeros = scaled.a.nnz();
        made_.row_of_slot = rows_by_length(backend, row_ptr, made_.n_rows, Size{made_.n_slices()} * height, sigma);
    }

    CompressedSell<S> run(PaddingLimit limit) {
        measure(limit);
        made_.base = HostVector<Index>(made_.slices[made_.n_slices()].group);
        made_.values = HostVector<S>(made_.slices[made_.n_slices()].group * height);
        made_.distances = HostVector<std::uint16_t>(made_.slices[made_.n_slices()].distance);
        for_slices([&](Index slice, const SlicePlan<T, Offset>& plan) {
            std::copy(plan.base().begin(), plan.base().end(), made_.base.data() + made_.slices[slice].group);
            if (plan.columns() == SliceColumns::diagonals) return fill_diagonals(slice, plan);
            fill_columns(slice, plan);
        });
        return std::move(made_);
    }

private:
    template <class F>
    void for_slices(const F& f) const {
#pragma omp parallel num_threads(backend_.threads()) if (scaled_.a.nnz() > 20000)
        {
            SlicePlan<T, Offset> plan(scaled_.a, row_ptr_);
#pragma omp for schedule(static)
            for (Index slice = 0; slice < made_.n_slices(); ++slice) {
                const Size slot = Size{slice} * height;
                const auto row = [&](Index lane) { return made_.row(slot + lane); };
                bool in_order = true;
                for (Index lane = 0; lane < height; ++lane) in_order &= row(lane) == slot + lane;
                plan.look_at(sizeof(S), static_cast<Index>(slot), in_order, row);
                f(slice, plan);
            }
        }
    }

    void measure(PaddingLimit limit) {
        const Index n = made_.n_slices();
        made_.slices = HostVector<CompressedSlice>(Size{n} + 1);
        for_slices([&](Index slice, const SlicePlan<T, Offset>& plan) {
            made_.slices[slice] = {static_cast<Size>(plan.base().size()), plan.n_distances(), plan.columns()};
        });
        Size group = 0, distance = 0;
        Index widest = 0;
        for (Index slice = 0; slice < n; ++slice) {
            auto& at = made_.slices[slice];
            widest = std::max(widest, static_cast<Index>(at.group));
            group += std::exchange(at.group, group);
            distance += std::exchange(at.distance, distance);
        }
        made_.slices[n] = {group, distance, SliceColumns::diagonals};
        check_padding(limit, "compressed SELL", widest, group * height, scaled_.a.nnz(), sizeof(S) + sizeof(Index));
    }

    void fill_diagonals(Index slice, const SlicePlan<T, Offset>& plan) {
        const std::span<const Index> diagonals = plan.base();
        S* const values = made_.values.data() + made_.slices[slice].group * height;
        std::fill_n(values, diagonals.size() * height, S{0});
        for (Index lane = 0; lane < height; ++lane) {
            const Index i = slice * height + lane;
            std::size_t place = 0;
            for (Size k = plan.first(lane); k < plan.first(lane) + plan.length(lane); ++k) {
                while (diagonals[place] != scaled_.a.col_idx[k] - i) ++place;
                values[place * height + static_cast<std::size_t>(lane)] = scaled_.template value<S>(i, k);
            }
        }
    }

    /// Padding is the base's column times 0.
    void fill_columns(Index slice, const SlicePlan<T, Offset>& plan) {
        const auto& at = made_.slices[slice];
        S* const values = made_.values.data() + at.group * height;
        std::uint16_t* const near = made_.distances.data() + at.distance;
        std::uint32_t* const far = reinterpret_cast<std::uint32_t*>(near);  // 32 of them begin at a multiple of 64
        for (Index lane = 0; lane < height; ++lane) {
            const Index i = made_.row(Size{slice} * height + lane);
            for (Index j = 0; j < plan.width(); ++j) {
                const Size to = Size{j} * height + lane, k = plan.first(lane) + j;
                const bool is_entry = j < plan.length(lane);
                values[to] = is_entry ? scaled_.template value<S>(i, k) : S{0};
                const Index distance = is_entry ? scaled_.a.col_idx[k] - plan.base()[static_cast<std::size_t>(j)] : 0;
                if (at.columns == SliceColumns::near) {
                    near[to] = static_cast<std::uint16_t>(distance);
                } else {
                    far[to] = static_cast<std::uint32_t>(distance);
                }
            }
        }
    }

    OpenMP& backend_;
    const ScaledCsr<T>& scaled_;
    const Offset* row_ptr_;
    CompressedSell<S> made_;
};

}  // namespace

template <class S, class T>
CompressedSell<S> compressed_sell(OpenMP& backend, const ScaledCsr<T>& scaled, Index sigma, PaddingLimit limit) {
    require(sigma > 0, "compressed_sell: sigma must be positive");
    return scaled.a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        return Compression<S, T, Offset>(backend, scaled, row_ptr, sigma).run(limit);
    });
}

template CompressedSell<float> compressed_sell(OpenMP&, const ScaledCsr<double>&, Index, PaddingLimit);
template CompressedSell<double> compressed_sell(OpenMP&, const ScaledCsr<double>&, Index, PaddingLimit);

}  // namespace stiefel
