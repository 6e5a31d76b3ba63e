#pragma once

#include "stiefel/preconditioner/amg/cycles.hpp"
#include "stiefel/preconditioner/amg/elements.hpp"
#include "stiefel/preconditioner/amg/smoother.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace stiefel::amg {

/// A level as the cycle works with it, on backend B in precision S: symmetrically scaled, so that its matrix has a unit
/// diagonal and no entry beyond 1, whatever the range of A's.
template <class B, class S>
struct CycleLevel : LevelVectors<B, S> {
    Index n_rows = 0;
    std::unique_ptr<Smoother<B, S>> smoother;  ///< none where there is an inverse
    std::optional<CycleMatrix<B, S>> prolong, restrict_, inverse;

    /// Room for panels of so many columns.
    void reserve(B& backend, Index columns, bool visited_again) {
        const Size size = Size{n_rows} * columns;
        if (this->r.size() >= size) return;
        for (auto* panel : {&this->r, &this->x}) *panel = make_vector<S>(backend, size);
        if (inverse) return;
        for (auto* panel : {&this->d, &this->e}) *panel = make_vector<S>(backend, size);
        if (!visited_again) return;
        for (auto* panel : {&this->b, &this->y}) *panel = make_vector<S>(backend, size);
    }

    Size bytes() const {
        Size sum = smoother ? smoother->bytes() : 0;
        for (const auto* panel : {&this->r, &this->x, &this->d, &this->e, &this->b, &this->y}) sum += panel->bytes();
        for (const auto* product : {&prolong, &restrict_, &inverse}) sum += *product ? (*product)->bytes() : 0;
        return sum;
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

    /// coarse: levels that are taken together, where it is a cycle of one visit.
    Cycle(B& backend, std::vector<LevelOf>& levels, const CycleKind& kind, const CoarseCycle<B, S>* coarse,
          Index columns)
        : backend_(backend), levels_(levels), kind_(kind), coarse_(kind.visits == 1 ? coarse : nullptr), k_(columns) {}

    void run(std::size_t l = 0) {
        if (k_ == 1 && coarse_ != nullptr && coarse_->begins_at(l)) return coarse_->run(backend_);
        LevelOf& level = levels_[l];
        if (level.inverse) return multiply(backend_, *level.inverse, k_, level.r, level.x, S{1}, S{0});
        const bool has_coarser = level.prolong.has_value();
        level.smoother->begin(backend_, level, k_, has_coarser);
        if (!has_coarser) return;  // the coarsest, too large to be inverted
        LevelOf& coarse = levels_[l + 1];
        multiply(backend_, *level.restrict_, k_, level.r, coarse.r, S{1}, S{0});
        visit(l + 1);
        multiply(backend_, *level.prolong, k_, coarse.x, level.e, S{1}, S{0});
        level.smoother->end(backend_, level, k_);
    }

private:
    /// Once, or a polynomial in M A: what is left of r is looked at again by M. The coarsest has no use for it.
    void visit(std::size_t l) {
        LevelOf& level = levels_[l];
        const auto weights = kind_.steps();
        if (weights.size() == 1 || !level.prolong) return run(l);
        each(level, 3, KeepRightHandSide<S>{level.r.data(), level.b.data(), level.y.data()});
        for (const double weight : weights.first(weights.size() - 1)) {
            run(l);
            each(level, 5,
                 AddVisit<S>{static_cast<S>(weight), level.x.data(), level.b.data(), level.y.data(), level.r.data()});
            level.smoother->subtract_product(backend_, level.y, level.r, k_);
        }
        run(l);
        each(level, 3, EndVisits<S>{static_cast<S>(weights.back()), level.y.data(), level.x.data()});
    }

    template <class Operation>
    void each(const LevelOf& level, int streams, const Operation& operation) {
        const Size n = Size{level.n_rows} * k_;
        for_rows(backend_, n, streams * n * static_cast<Size>(sizeof(S)), operation);
    }

    B& backend_;
    std::vector<LevelOf>& levels_;
    const CycleKind& kind_;
    const CoarseCycle<B, S>* coarse_;
    Index k_;
};

}  // namespace stiefel::amg
