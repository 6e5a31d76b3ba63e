#pragma once

#include "stiefel/preconditioner/amg/cycles.hpp"
#include "stiefel/preconditioner/amg/elements.hpp"
#include "stiefel/preconditioner/amg/precision_trial.hpp"
#include "stiefel/preconditioner/amg/smoother.hpp"
#include "stiefel/preconditioner/details.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace stiefel::amg {

/// What a level needs to be visited twice. The residual that is left by the first visit is computed in double precision
/// whatever the cycle's: where A is nearly singular, a correction is large in the direction that A takes to almost
/// nothing, and a matrix rounded to single precision may take it to many times as much; M would not stay positive
/// definite (jump_diffusion3d with a contrast of 1e8).
template <class B>
struct SecondVisit {
    CycleMatrix<B, double> a;
    VectorOf<B, double> b = {};  ///< the right-hand side, then what is left of it
    VectorOf<B, double> y = {};  ///< what the first visit found

    void reserve(B& backend, Size size) {
        for (auto* panel : {&b, &y}) *panel = make_vector<double>(backend, size);
    }
    Size bytes() const { return a.bytes() + b.bytes() + y.bytes(); }
};

/// Levels below one that ranks share, which every rank has whole.
template <class B, class S>
class LevelsBelow {
public:
    virtual ~LevelsBelow() = default;
    /// x = M r, of the elements that this rank holds; or whole().
    virtual void run(B&, const VectorOf<B, S>& r, VectorOf<B, S>& x, Index columns) = 0;
    /// M r of all ranks, which the prolongation above is then made for; none: of this rank.
    virtual const VectorOf<B, S>* whole() const { return nullptr; }
    virtual void reserve(B&, Index columns) = 0;
    virtual Size bytes() const = 0;
    virtual Work work(Index columns) const = 0;
    virtual PreconditionerDetails details() const = 0;
    /// As of levels that are not below others; this rank's share of the sums, or all of them in each rank.
    virtual TrialSums try_out(B&) = 0;
};

/// A level as the cycle works with it, on backend B in precision S: symmetrically scaled, so that its matrix has a unit
/// diagonal and no entry beyond 1, whatever the range of A's.
template <class B, class S>
struct CycleLevel : LevelVectors<B, S> {
    Index n_rows = 0;
    std::unique_ptr<Smoother<B, S>> smoother;  ///< none where there is an inverse, or other levels take over
    std::optional<CycleMatrix<B, S>> prolong, restrict_, inverse;
    std::optional<SecondVisit<B>> second;  ///< where it is visited twice by the level above
    std::unique_ptr<LevelsBelow<B, S>> below;

    /// What was found, as the prolongation above takes it.
    const VectorOf<B, S>& found() const {
        const VectorOf<B, S>* const whole = below ? below->whole() : nullptr;
        return whole != nullptr ? *whole : this->x;
    }

    /// Room for panels of so many columns.
    void reserve(B& backend, Index columns) {
        const Size size = Size{n_rows} * columns;
        if (below) below->reserve(backend, columns);
        if (this->r.size() >= size && size > 0) return;
        for (auto* panel : {&this->r, &this->x}) *panel = make_vector<S>(backend, size);
        if (second) second->reserve(backend, size);
        if (!smoother) return;
        for (auto* panel : {&this->d, &this->e}) *panel = make_vector<S>(backend, size);
    }

    Size bytes() const {
        Size sum = smoother ? smoother->bytes() : 0;
        for (const auto* panel : {&this->r, &this->x, &this->d, &this->e}) sum += panel->bytes();
        for (const auto* product : {&prolong, &restrict_, &inverse}) sum += *product ? (*product)->bytes() : 0;
        return sum + (second ? second->bytes() : 0) + (below ? below->bytes() : 0);
    }
};

template <class B, class S>
class CoarseCycle;

/// One cycle: x = M r with the residual kept up to date on the way, so that nothing but r, x and the last step is ever
/// read. What smooths before and after is one the transpose of the other, so M is symmetric.
template <class B, class S>
class Cycle {
public:
    using LevelOf = CycleLevel<B, S>;

    /// coarse: levels that are taken together.
    Cycle(B& backend, std::vector<LevelOf>& levels, const CycleKind& kind, const CoarseCycle<B, S>* coarse,
          Index columns)
        : backend_(backend), levels_(levels), kind_(kind), coarse_(coarse), k_(columns) {}

    void run(std::size_t l = 0) {
        if (k_ == 1 && coarse_ != nullptr && coarse_->begins_at(l)) return coarse_->run(backend_);
        LevelOf& level = levels_[l];
        if (level.below) return level.below->run(backend_, level.r, level.x, k_);
        if (level.inverse) return multiply(backend_, *level.inverse, k_, level.r, level.x, S{1}, S{0});
        // The coarsest may be too large to be inverted.
        if (!level.prolong) return level.smoother->begin(backend_, level, k_, false);
        find_correction(l);
        level.smoother->end(backend_, level, k_);
    }

    /// The same for the finest, whose x goes out: where the levels have_way_out().
    template <class T>
    void run(const WayOut<T>& out) {
        find_correction(0);
        levels_[0].smoother->end(backend_, levels_[0], out);
    }
    static bool have_way_out(const std::vector<LevelOf>& levels) {
        return !levels.empty() && levels[0].prolong && levels[0].smoother->has_way_out();
    }

    /// Once, or twice: what is left of r is looked at again by M.
    void visit(std::size_t l) {
        LevelOf& level = levels_[l];
        if (!level.second) return run(l);
        SecondVisit<B>& second = *level.second;
        const auto [first_weight, second_weight] = kind_.weights;
        each(level, Scaled<S, double>{1, level.r.data(), second.b.data()});
        run(l);
        each(level, Scaled<S, double>{first_weight, level.x.data(), second.y.data()});
        multiply(backend_, second.a, k_, second.y, second.b, -1, 1);
        each(level, Scaled<double, S>{1, second.b.data(), level.r.data()});
        run(l);
        each(level, AddVisits<S>{second_weight, second.y.data(), level.x.data()});
    }

private:
    /// Smooths, and takes what is left to the coarser levels: e is what they find.
    void find_correction(std::size_t l) {
        LevelOf& level = levels_[l];
        LevelOf& coarse = levels_[l + 1];
        level.smoother->begin(backend_, level, k_, true);
        multiply(backend_, *level.restrict_, k_, level.r, coarse.r, S{1}, S{0});
        visit(l + 1);
        multiply(backend_, *level.prolong, k_, coarse.found(), level.e, S{1}, S{0});
    }

    template <class Operation>
    void each(const LevelOf& level, const Operation& operation) {
        const Size n = Size{level.n_rows} * k_;
        for_rows(backend_, n, n * static_cast<Size>(sizeof(S) + sizeof(double)), operation);
    }

    B& backend_;
    std::vector<LevelOf>& levels_;
    const CycleKind& kind_;
    const CoarseCycle<B, S>* coarse_;
    Index k_;
};

/// Z = M R for panels that a cycle is made for: scaled on the way in and out by the roots of A's inverse diagonal.
template <class B, class T, class S>
void apply_cycle(B& backend, Cycle<B, S> cycle, LevelVectors<B, S>& finest, const T* scale, MatrixOf<B, const T> r,
                 MatrixOf<B, T> z) {
    const Index k = r.n_cols;
    const Size bytes = 3 * Size{r.n_rows} * k * static_cast<Size>(sizeof(T));
    if (k == 1 && r.ld == 1 && z.ld == 1) {
        for_rows(backend, r.n_rows, bytes, Enter<T, S>{scale, r.data, finest.r.data()});
        cycle.run();
        for_rows(backend, r.n_rows, bytes, Leave<T, S>{scale, finest.x.data(), z.data});
    } else {
        for_rows(backend, r.n_rows, bytes, EnterRows<T, S>{scale, r.data, r.ld, finest.r.data(), k});
        cycle.run();
        for_rows(backend, r.n_rows, bytes, LeaveRows<T, S>{scale, finest.x.data(), z.data, z.ld, k});
    }
}

}  // namespace stiefel::amg
