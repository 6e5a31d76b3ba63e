#pragma once

#include "stiefel/preconditioner/amg/cuda/hierarchy.hpp"
#include "stiefel/preconditioner/amg/cycle_levels.hpp"
#include "stiefel/world/cuda/vector_gather.hpp"
#include "stiefel/world/outside_world.hpp"

#include <string_view>
#include <utility>

namespace stiefel::amg {

/// Levels of a matrix that each GPU has whole, and a cycle through them without scaling: vectors come as those of the
/// finest are.
template <class S>
class LevelsOfOne : public CycleLevels<Cuda, S, S> {
    using Levels = CycleLevels<Cuda, S, S>;

public:
    explicit LevelsOfOne(std::string_view cycle) : Levels(cycle) {
        this->forget();
        this->begin({}, {});
    }
    /// is_twice: visited so by what is above all of these.
    void take(Cuda& backend, const DeviceLevel& level, bool is_twice) {
        const bool next_is_twice = level.transfer && this->next_is_visited_twice(level.a.nnz());
        this->add(to_cycle_level<S>(backend, level, this->has_levels() ? next_is_twice : is_twice), level.a.n_rows,
                  level.a.nnz());
    }
    void end(Cuda& backend) { this->complete(backend, {}); }
    void run(Cuda& backend, Index columns) const { this->apply_scaled(backend, columns); }
    using Levels::finest;
    using Levels::try_out;
};

/// Levels that all GPUs have whole, below one of which each has its rows: all do the same cycle. On top of a cycle each
/// leaves its own rows; below another level x stays whole, as that level's prolongation takes it.
template <class S>
class WholeLevels final : public LevelsBelow<Cuda, S> {
public:
    enum class Place { on_top, below };

    /// All ranks make theirs at once.
    WholeLevels(Cuda& backend, CudaWorld& world, const RowBlocks& rows, std::string_view cycle, Place place)
        : gather_(backend, world, rows), place_(place), levels_(cycle) {}

    LevelsOfOne<S>& levels() { return levels_; }

    void run(Cuda& backend, const DeviceVector<S>& r, DeviceVector<S>& x, Index columns) override {
        gather_.run(backend, r.data(), levels_.finest().r.data(), columns);
        {
            const OutsideWorld alone(backend);
            levels_.run(backend, columns);
        }
        if (place_ == Place::on_top) gather_.take_own(backend, levels_.finest().x.data(), x.data(), columns);
    }
    const DeviceVector<S>* whole() const override { return place_ == Place::below ? &levels_.finest().x : nullptr; }
    void reserve(Cuda& backend, Index columns) override {
        gather_.reserve(backend, columns);
        levels_.reserve(backend, columns);
    }
    Size bytes() const override { return gather_.bytes() + levels_.bytes(); }
    Work work(Index columns) const override {
        const auto gathered = 3.0 * static_cast<double>(gather_.n_rows()) * columns * sizeof(S);
        const Work cycle = levels_.work(columns);
        return {cycle.bytes + gathered, cycle.flops};
    }
    PreconditionerDetails details() const override { return levels_.details(); }
    TrialSums try_out(Cuda& backend) override {
        const OutsideWorld alone(backend);
        return levels_.try_out(backend);
    }

private:
    VectorGather<S> gather_;
    Place place_;
    LevelsOfOne<S> levels_;
};

/// What a rank has of levels that lie with another as a whole.
template <class S>
class LevelsElsewhere final : public LevelsBelow<Cuda, S> {
public:
    void run(Cuda&, const DeviceVector<S>&, DeviceVector<S>&, Index) override {}
    void reserve(Cuda&, Index) override {}
    Size bytes() const override { return 0; }
    Work work(Index) const override { return {}; }
    PreconditionerDetails details() const override { return {}; }
    TrialSums try_out(Cuda&) override { return {}; }
};

}  // namespace stiefel::amg
