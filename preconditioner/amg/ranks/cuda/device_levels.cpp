#include "stiefel/preconditioner/amg/ranks/cuda/device_levels.hpp"

#include "stiefel/core/agreement.hpp"
#include "stiefel/preconditioner/amg/amg.hpp"
#include "stiefel/preconditioner/amg/coarsenings.hpp"
#include "stiefel/preconditioner/amg/pairwise_coarsening.hpp"
#include "stiefel/preconditioner/amg/ranks/cuda/beyond_rows.hpp"
#include "stiefel/preconditioner/amg/ranks/cuda/matrix_parts.hpp"
#include "stiefel/preconditioner/amg/ranks/cuda/rank_pairs.hpp"
#include "stiefel/preconditioner/amg/ranks/cuda/shared_level.hpp"
#include "stiefel/preconditioner/amg/ranks/cuda/sharing.hpp"
#include "stiefel/preconditioner/amg/ranks/cuda/whole_levels.hpp"
#include "stiefel/preconditioner/amg/ranks/cuda/whole_matrix.hpp"
#include "stiefel/preconditioner/amg/ranks/in_all.hpp"
#include "stiefel/preconditioner/diagonal.hpp"

#include <functional>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace stiefel::amg {

namespace {

bool all_say(CudaWorld& world, bool yes) {
    double no = yes ? 0 : 1;
    world.all_max(&no, 1);
    return no == 0;
}

/// Which rank has all rows; -1: none.
int holder_of_all(const RowBlocks& rows) {
    for (int rank = 0; rank < rows.n_ranks(); ++rank) {
        if (rows.n_rows_of(rank) == rows.n_rows()) return rank;
    }
    return -1;
}
bool all_have_rows(const RowBlocks& rows) {
    for (int rank = 0; rank < rows.n_ranks(); ++rank) {
        if (rows.n_rows_of(rank) == 0) return false;
    }
    return true;
}

/// What a rank has of a matrix that has been split by columns, in those of others.
SplitRows<double> beyond_of(Cuda& backend, const DeviceCsr<double>& rows) {
    const HostCsr<double> here = to_host(backend, rows);
    std::vector<BeyondEntry> entries;
    here.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < here.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) entries.push_back({i, here.col_idx[k], here.values[k]});
        }
    });
    return beyond_rows(entries);
}

/// For A, and its set-up.
bool has_room_for(const Cuda& backend, Size n_rows, Size nnz) {
    constexpr Size of_entry = 12;
    return n_rows <= std::numeric_limits<Index>::max() &&
           setup_bytes(static_cast<Index>(n_rows), nnz) + of_entry * nnz <= free_bytes(backend);
}

template <class T, class S>
class DeviceSetup {
public:
    DeviceSetup(Cuda& backend, CudaWorld& world, const RowBlocks& rows, const SplitRows<double>& a,
                const DeviceCsr<double>* own, const SetupOptions& options)
        : backend_(backend),
          world_(world),
          rows_(rows),
          first_(static_cast<Index>(rows.first(world.rank()))),
          a_(a),
          own_(own),
          options_(options),
          plan_(find_listed(cycles, "cycle", options.cycle), false) {
        auto nnz = static_cast<double>(a.nnz());
        world.all_sum(&nnz, 1);
        nnz_ = static_cast<Size>(nnz);
    }

    std::optional<DeviceLevels<T, S>> levels() {
        if (const int holder = holder_of_all(rows_); holder >= 0) return of_one(holder == world_.rank());
        const bool suits = suits_device(options_) && options_.coordinates.dimensions == 0 && all_have_rows(rows_) &&
                           rows_.n_rows() <= std::numeric_limits<Index>::max();
        if (!suits) return {};
        if (own_ == nullptr) own_ = &brought_.emplace(to_device(backend_, a_.own));
        const bool is_shared = shares_finest();
        if (is_shared && by_pairs()) return std::move(made_);
        const bool is_begun = whole_ != nullptr;  // and a host has to go on with what pairs led to
        if (!is_begun && fits_whole() && by_whole(is_shared)) return std::move(made_);
        return {};
    }

private:
    bool shares_finest() const {
        if (options_.gathered_rows > 0) return rows_.n_rows() > options_.gathered_rows;
        return gains_by_sharing(rows_.n_rows(), nnz_, rows_.n_ranks(), world_.needs_hosts());
    }
    bool fits_whole() { return all_say(world_, has_room_for(backend_, rows_.n_rows(), nnz_)); }

    void begin(const DeviceVector<double>& inverse_roots, std::string_view coarsening, Index block_size) {
        made_.scale = rounded<T>(backend_, inverse_roots);
        made_.about = {.coarsening = coarsening,
                       .smoother = options_.smoother,
                       .block_size = block_size,
                       .near_null_space = near_null_space_name(options_, block_size)};
    }

    void add(CycleLevel<Cuda, S> level, Size rows, Size nonzeros) {
        made_.levels.push_back({std::move(level), rows, nonzeros, since_level_.restart()});
    }

    /// Those that each GPU has whole, of a matrix that has so many rows in all.
    void begin_whole(const RowBlocks& rows, typename WholeLevels<S>::Place place) {
        whole_ = std::make_unique<WholeLevels<S>>(backend_, world_, rows, options_.cycle, place);
        whole_rows_ = rows.n_rows_of(world_.rank());
    }
    void take_whole(const DeviceLevel& level) {
        if (whole_nonzeros_ == 0) {
            whole_nonzeros_ = level.a.nnz();
            whole_n_ = level.a.n_rows;
        }
        const bool is_first = !std::exchange(has_whole_, true);
        const bool is_twice = is_first && level.transfer && plan_.next_is_visited_twice(level.a.nnz());
        whole_->levels().take(backend_, level, is_twice);
    }
    void end_whole() {
        whole_->levels().end(backend_);
        CycleLevel<Cuda, S> below;
        below.n_rows = whole_rows_;
        below.below = std::move(whole_);
        add(std::move(below), whole_n_, whole_nonzeros_);
    }
    void share(const SharedLevel& level) {
        plan_.next_is_visited_twice(nnz_);
        add(to_cycle_level<S>(backend_, world_, level), rows_.n_rows(), nnz_);
        begin_whole(level.coarse_rows, WholeLevels<S>::Place::below);
    }

    bool by_pairs() {
        const DeviceMatrix found = looked_at(backend_, *own_);
        in_all(world_, [&] { check(found); });
        std::optional<PairedRows> next =
            rows_by_pairs(backend_, world_, {rows_, *own_, a_, found}, options_, made_.seconds);
        if (!next) return false;
        Stopwatch watch;
        const DeviceCsr<double> coarse = whole_matrix(backend_, world_, next->rows, next->a, next->beyond);
        next->a = {};
        made_.seconds.product += watch.seconds();
        begin(found.inverse_root, coarsening_names::pairs, 1);
        const SplitRows<double> nothing = beyond_rows({});
        const auto keep = [&](const DeviceLevel& level) {
            if (!whole_) {
                watch.restart();
                share({rows_, *own_, a_, found.inverse_root, next->spectral_radius, next->rows,
                       level.diagonal.inverse_roots, next->prolongation, next->restriction, nothing});
                next->prolongation = {};
                next->restriction = {};
                made_.seconds.convert += watch.seconds();
            }
            take_whole(level);
        };
        return built(coarse,
                     {.coarsening = coarsening_names::smoothed,
                      .coarsest_rows = options_.coarsest_rows,
                      .most_levels = options_.most_levels},
                     keep);
    }

    void check(const DeviceMatrix& found) {
        const LevelFacts facts = load(backend_, found.facts);
        if (facts.first_bad_row == LevelFacts::none) return;
        const HostVector<Index> row(1, facts.first_bad_row);
        refuse_diagonal(rows_.first(world_.rank()) + facts.first_bad_row, numbers_at(backend_, found.diagonal, row)[0]);
    }

    bool by_whole(bool is_shared) {
        Stopwatch watch;
        const DeviceCsr<double> all = whole_matrix(backend_, world_, rows_, *own_, a_);
        made_.seconds.product += watch.seconds();
        const auto keep = [&](const DeviceLevel& level) {
            if (!whole_) {
                const std::string_view coarsening = level.transfer ? level.transfer->coarsening : std::string_view();
                const auto roots =
                    part_of(backend_, level.diagonal.inverse_roots, first_, rows_.n_rows_of(world_.rank()));
                begin(roots, coarsening, level.block_size);
                if (is_shared && level.transfer) return share_part_of(level, roots);
                begin_whole(rows_, WholeLevels<S>::Place::on_top);
            }
            take_whole(level);
        };
        return built(all, options_, keep);
    }

    /// This rank's part of a level and of what leads to the next.
    void share_part_of(const DeviceLevel& level, const DeviceVector<double>& inverse_roots) {
        const auto& [p, r, coarsening] = *level.transfer;
        const RowBlocks coarse = rows_beside(backend_, r, rows_);
        const int rank = world_.rank();
        const Index n = rows_.n_rows_of(rank);
        const MatrixPart of_restriction{static_cast<Index>(coarse.first(rank)), coarse.n_rows_of(rank), first_, n};
        share({rows_, *own_, a_, inverse_roots, level.spectral_radius, coarse, level.coarse_diagonal->inverse_roots,
               inside(backend_, p, {first_, n, 0, p.n_cols}), inside(backend_, r, of_restriction),
               beyond_of(backend_, outside(backend_, r, of_restriction))});
    }

    /// All levels of a matrix that all have whole, or false where a host has to judge.
    bool built(const DeviceCsr<double>& all, const SetupOptions& options,
               const std::function<void(const DeviceLevel&)>& keep) {
        std::unique_ptr<DeviceCoarsening> coarsening;
        const auto seconds = build_hierarchy(backend_, all, options, coarsening, keep);
        if (!seconds) return false;
        end_whole();
        made_.seconds += *seconds;
        return true;
    }

    /// One has all rows, and all levels.
    DeviceLevels<T, S> of_one(bool is_here) {
        if (!is_here) {
            CycleLevel<Cuda, S> nothing;
            nothing.below = std::make_unique<LevelsElsewhere<S>>();
            made_.about.smoother = options_.smoother;
            add(std::move(nothing), rows_.n_rows(), nnz_);
        }
        in_all(world_, [&] {
            if (is_here) by_itself();
        });
        return std::move(made_);
    }
    void by_itself() {
        if (own_ == nullptr) own_ = &brought_.emplace(to_device(backend_, a_.own));
        const auto& smoother = find_listed(smoothers<Cuda, S>, "smoother", options_.smoother);
        const auto forget = [&] {
            made_ = {};
            plan_ = VisitPlan(find_listed(cycles, "cycle", options_.cycle), false);
        };
        const auto keep = [&](const auto& level) {
            if (made_.levels.empty()) {
                made_.scale = inverse_roots<T>(backend_, level);
                made_.about = {.coarsening = level.transfer ? level.transfer->coarsening : std::string_view{},
                               .smoother = smoother.name,
                               .block_size = level.block_size,
                               .near_null_space = near_null_space_name(options_, level.block_size)};
            }
            const bool is_twice = level.transfer && plan_.next_is_visited_twice(level.a.nnz());
            add(cycle_level<Cuda, S>(backend_, level, smoother, is_twice), level.a.n_rows, level.a.nnz());
        };
        MadeBy by;
        made_.seconds = build_levels(backend_, *own_, options_, by, keep, forget);
    }

    Cuda& backend_;
    CudaWorld& world_;
    const RowBlocks& rows_;
    Index first_;
    const SplitRows<double>& a_;
    const DeviceCsr<double>* own_;
    std::optional<DeviceCsr<double>> brought_;
    const SetupOptions& options_;
    VisitPlan plan_;
    Size nnz_ = 0;
    std::unique_ptr<WholeLevels<S>> whole_;
    bool has_whole_ = false;
    Index whole_rows_ = 0, whole_n_ = 0;
    Size whole_nonzeros_ = 0;
    DeviceLevels<T, S> made_;
    Stopwatch since_level_;
};

}  // namespace

template <class T, class S>
std::optional<DeviceLevels<T, S>> levels_on_devices(Cuda& backend, CudaWorld& world, const RowBlocks& rows,
                                                    const SplitRows<double>& a, const DeviceCsr<double>* own,
                                                    const SetupOptions& options) {
    const OutsideWorld alone(backend);
    return DeviceSetup<T, S>(backend, world, rows, a, own, options).levels();
}

bool may_set_up_on_devices(const Cuda& backend, Size n_rows, Size nnz, const SetupOptions& options) {
    if (!suits_device(options) || options.coordinates.dimensions > 0) return false;
    const bool is_whole = agreed(backend, has_room_for(backend, n_rows, nnz) ? 0 : 1) == 0;
    return is_whole || (n_rows <= std::numeric_limits<Index>::max() &&
                        !is_surely_smoothed(static_cast<Index>(n_rows), nnz, options.coarsening));
}

template std::optional<DeviceLevels<double, float>> levels_on_devices(Cuda&, CudaWorld&, const RowBlocks&,
                                                                      const SplitRows<double>&,
                                                                      const DeviceCsr<double>*, const SetupOptions&);
template std::optional<DeviceLevels<double, double>> levels_on_devices(Cuda&, CudaWorld&, const RowBlocks&,
                                                                       const SplitRows<double>&,
                                                                       const DeviceCsr<double>*, const SetupOptions&);
template std::optional<DeviceLevels<float, float>> levels_on_devices(Cuda&, CudaWorld&, const RowBlocks&,
                                                                     const SplitRows<double>&, const DeviceCsr<double>*,
                                                                     const SetupOptions&);
template std::optional<DeviceLevels<float, double>> levels_on_devices(Cuda&, CudaWorld&, const RowBlocks&,
                                                                      const SplitRows<double>&,
                                                                      const DeviceCsr<double>*, const SetupOptions&);

}  // namespace stiefel::amg
