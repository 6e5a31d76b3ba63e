#pragma once

#include "stiefel/preconditioner/amg/chebyshev_smoother.hpp"
#include "stiefel/preconditioner/amg/cuda/coarse_cycle.hpp"
#include "stiefel/preconditioner/amg/cycle.hpp"

#include <bit>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

namespace stiefel::amg {

/// The levels, from the first that is small enough on, that one kernel takes together. None on a host, where nothing
/// is gained, and where a level smooths in another way than by a Chebyshev iteration.
template <class B, class S>
class CoarseCycle {
public:
    /// Of levels that keep their place and vectors while it lives.
    explicit CoarseCycle(const std::vector<CycleLevel<B, S>>&) {}
    bool begins_at(std::size_t) const { return false; }
    void run(B&) const {}
};

template <class S>
class CoarseCycle<Cuda, S> {
public:
    using LevelOf = CycleLevel<Cuda, S>;

    explicit CoarseCycle(const std::vector<LevelOf>& levels) {
        std::size_t first = levels.size();
        if (levels.empty() || !levels.back().inverse) return;
        while (first > 1 && levels.size() - first < most_coarse_levels) {
            const LevelOf& level = levels[first - 1];
            if (!level.inverse && !is_small(level)) break;
            --first;
            if (level.second) break;  // the first of them may be visited twice
        }
        if (levels.size() - first < 2) return;
        for (std::size_t l = first; l < levels.size(); ++l) {
            if (!add(levels[l])) return;
        }
        first_ = first;
    }

    bool begins_at(std::size_t level) const { return first_ == level; }
    void run(Cuda& backend) const { run_coarse_cycle(backend, levels_); }

private:
    /// A product with so many takes 8 multiprocessors as long as a kernel takes to start (H200); beyond, all of them
    /// are faster.
    static constexpr Size most_nonzeros = 50000;
    static constexpr Index threads = 8192;

    static const ChebyshevSmoother<Cuda, S>* chebyshev(const LevelOf& level) {
        return dynamic_cast<const ChebyshevSmoother<Cuda, S>*>(level.smoother.get());
    }
    static bool is_small(const LevelOf& level) {
        const auto* const smoother = chebyshev(level);
        return smoother != nullptr && smoother->matrix().nnz() <= most_nonzeros;
    }

    bool add(const LevelOf& level) {
        CoarseLevel<S>& to = levels_.levels[static_cast<std::size_t>(levels_.n_levels++)];
        to = {.a = {},
              .prolong = {},
              .restrict_ = {},
              .r = scratch(level.r),
              .x = scratch(level.x),
              .d = scratch(level.d),
              .e = scratch(level.e),
              .rho = {},
              .sigma = {}};
        if (level.inverse) return take(*level.inverse, levels_.inverse);
        const auto factors = chebyshev(level)->factors();
        if (factors.size() > most_coarse_steps) return false;
        levels_.n_steps = static_cast<int>(factors.size());
        for (std::size_t k = 0; k < factors.size(); ++k) {
            to.rho[k] = factors[k].rho;
            to.sigma[k] = factors[k].sigma;
        }
        return take(chebyshev(level)->matrix(), to.a) && take(*level.prolong, to.prolong) &&
               take(*level.restrict_, to.restrict_);
    }

    static S* scratch(const DeviceVector<S>& vector) { return const_cast<S*>(vector.data()); }

    /// Whether it is in a format that the kernel reads.
    static bool take(const SpmvOperator<Cuda, S>& from, CoarseMatrix<S>& to) {
        return from.visit([&](const auto& a, const auto&) { return take_rows(a, to); });
    }
    static bool take_rows(const DeviceSell<S>& a, CoarseMatrix<S>& to) {
        to = with_entries_of(a);
        to.n_slots = static_cast<Index>(a.n_slots());
        to.slice_ptr = a.slice_ptr.data();
        to.row_of_slot = a.row_of_slot.data();
        to.slice_height = a.slice_height;
        return true;
    }
    static bool take_rows(const DeviceCsr<S>& a, CoarseMatrix<S>& to) {
        to = with_entries_of(a);
        a.row_ptr.visit([&](const auto* row_ptr) {
            if constexpr (sizeof *row_ptr == sizeof(std::int32_t)) to.row_ptr = row_ptr;
        });
        return to.row_ptr != nullptr;
    }
    template <class Matrix>
    static bool take_rows(const Matrix&, CoarseMatrix<S>&) {
        return false;
    }

    template <class Matrix>
    static CoarseMatrix<S> with_entries_of(const Matrix& a) {
        return {.n_rows = a.n_rows,
                .n_slots = a.n_rows,
                .col_idx = a.col_idx.data(),
                .values = a.values.data(),
                .lanes = lanes_for(a.n_rows, a.nnz())};
    }

    /// So many that a row is one batch for each, or more where there are threads to spare.
    static int lanes_for(Index n_rows, Size nnz) {
        constexpr unsigned most = 32;
        const auto mean = static_cast<unsigned>(nnz / std::max<Index>(n_rows, 1));
        unsigned lanes = std::bit_ceil(std::clamp((mean + coarse_batch - 1) / coarse_batch, 1U, most));
        while (lanes < most && lanes < mean && Size{n_rows} * lanes * 2 <= threads) lanes *= 2;
        return static_cast<int>(lanes);
    }

    CoarseLevels<S> levels_;
    std::size_t first_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace stiefel::amg
