#include "bench/suites/symmetric_pattern.hpp"

#include "bench/suites/window.hpp"

#include "stiefel/core/error.hpp"

namespace stiefel::bench {

namespace {

class Pattern {
public:
    Pattern(const SymmetricPatternTargets& targets, HostVector<Index> lengths, std::uint64_t seed)
        : t_(targets), n_(static_cast<Index>(lengths.size())), seed_(seed), wanted_(std::move(lengths)), held_(n_, 0) {
        Size n_diagonal = 0;
        for (Index i = 0; i < n_; ++i) n_diagonal += has_diagonal(i);
        if ((t_.entries - n_diagonal) % 2 != 0) {  // the others come in pairs
            while (!has_diagonal(without_)) ++without_;
            is_odd_ = true;
            --n_diagonal;
        }
        pairs_left_ = (t_.entries - n_diagonal) / 2;
        const Size n_lower = pairs_left_ + n_diagonal;
        lower_ = {.n_rows = n_,
                  .n_cols = n_,
                  .symmetry = Symmetry::symmetric,
                  .row_idx = HostVector<Index>(n_lower),
                  .col_idx = HostVector<Index>(n_lower),
                  .values = HostVector<double>(n_lower)};
        for (Index i = 0; i < n_; ++i) held_[i] = has_diagonal(i);
    }

    Coo<double> build() {
        place_band();
        place_what_is_short();
        place_anywhere();
        require(pairs_left_ == 0, "symmetric_pattern: rows so short cannot hold so many entries");
        for (Index i = 0; i < n_; ++i) {
            if (has_diagonal(i)) append(i, i);
        }
        return std::move(lower_);
    }

private:
    bool has_diagonal(Index i) const { return t_.has_diagonal && wanted_[i] > 0 && !(is_odd_ && i == without_); }

    void append(Index i, Index j) {
        lower_.row_idx[n_placed_] = i;
        lower_.col_idx[n_placed_++] = j;
    }

    void place(Index i, Index j) {
        append(i, j);
        ++held_[i];
        ++held_[j];
        --pairs_left_;
    }

    void place_band() {
        constexpr Index patience = 16;  // full columns that are passed by before an entry is left to another row
        Index behind = 0;               // entries that rows before could not place
        for (Index i = n_ - 1; i > 0; --i) {
            const bool at_end = i >= n_ - t_.reach;
            const Index lacks = std::max(0, wanted_[i] - held_[i]);
            // Rows below will bring as many as an average one has above its diagonal, not more.
            const Index half = std::max((wanted_[i] + 1) / 2, wanted_[i] - mean_ / 2);
            const Index most = std::min({at_end ? wanted_[i] : half, i, t_.reach});
            const Index extra = std::min(behind, 1);
            const auto left = static_cast<Index>(std::min<Size>(pairs_left_, n_));
            const Index asked = std::max(0, std::min({lacks + extra, most, t_.longest - held_[i], left}));
            Index next = 0, placed = 0;
            for_columns({std::max(0, i - t_.reach), i}, asked, t_.run, RandomRow(seed_, i / t_.run), [&](Index column) {
                Index j = std::max(column, next);
                const Index last = std::min(i, j + patience);
                while (j < last && held_[j] >= wanted_[j]) ++j;
                if (j == last) return;
                place(i, j);
                ++placed;
                next = j + 1;
            });
            behind = std::max(0, behind + lacks - placed);
        }
    }

    /// Below the band of the rows that lack entries, each row's at multiples of its own distance.
    void place_what_is_short() {
        for (Index j = 0; j < n_ && pairs_left_ > 0; ++j) {
            for (Size i = j + distance(); i < n_ && held_[j] < wanted_[j] && pairs_left_ > 0; i += distance()) {
                if (held_[i] < t_.longest) place(static_cast<Index>(i), j);
            }
        }
    }

    void place_anywhere() {
        for (Size offset = distance() + 1; offset < n_ && pairs_left_ > 0; ++offset) {
            if (offset % distance() == 0) continue;  // taken by those that were short
            for (Size j = 0; j + offset < n_ && pairs_left_ > 0; ++j) {
                if (wanted_[j] == 0 || wanted_[j + offset] == 0) continue;  // an empty row stays one
                if (held_[j] < t_.longest && held_[j + offset] < t_.longest) {
                    place(static_cast<Index>(j + offset), static_cast<Index>(j));
                }
            }
        }
    }

    /// From the diagonal to the first place beyond the band.
    Size distance() const { return Size{t_.reach} + 1; }

    SymmetricPatternTargets t_;
    Index n_;
    std::uint64_t seed_;
    HostVector<Index> wanted_;
    HostVector<Index> held_;
    bool is_odd_ = false;
    Index without_ = 0;  ///< the row whose diagonal is left out, where is_odd_
    Size pairs_left_ = 0;
    Size n_placed_ = 0;
    Index mean_ = static_cast<Index>(t_.entries / n_);  ///< length
    Coo<double> lower_;
};

}  // namespace

Coo<double> symmetric_pattern(const SymmetricPatternTargets& targets, HostVector<Index> lengths, std::uint64_t seed) {
    return Pattern(targets, std::move(lengths), seed).build();
}

}  // namespace stiefel::bench
