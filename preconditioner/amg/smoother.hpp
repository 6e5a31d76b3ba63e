#pragma once

#include "stiefel/core/backend.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/dense/panel_rows.hpp"
#include "stiefel/preconditioner/amg/cycle_matrix.hpp"
#include "stiefel/preconditioner/amg/way_out.hpp"

namespace stiefel::amg {

/// The vectors of a level, or panels of k columns, contiguous: the scratch of a cycle.
template <class B, class S>
struct LevelVectors {
    VectorOf<B, S> r;  ///< the right-hand side, and what is left of it
    VectorOf<B, S> x;  ///< what has been found
    VectorOf<B, S> e;  ///< a correction by coarser levels
    VectorOf<B, S> d;  ///< for the smoother
};

/// A stationary iteration for a matrix A with unit diagonal: from x to x + N (r - A x). It holds A, in the form that
/// suits it.
template <class B, class S>
class Smoother {
public:
    using Vectors = LevelVectors<B, S>;
    virtual ~Smoother() = default;

    /// x = N r, and, where it is asked for,  r -= A x.
    virtual void begin(B&, Vectors&, Index columns, bool with_residual) = 0;
    /// x += e + N' (r - A e), N' the transpose of N. r is lost. Only after a begin() with residual.
    virtual void end(B&, Vectors&, Index columns) = 0;

    /// Whether end() of one column takes x along on its way out: then these do, and x is lost.
    virtual bool has_way_out() const { return false; }
    virtual void end(B&, Vectors&, const WayOut<float>&) {}
    virtual void end(B&, Vectors&, const WayOut<double>&) {}

    /// Whether one column is smoothed faster if A's values are read in 16 bits (short_values.hpp).
    virtual bool gains_by_rounding() const { return false; }
    /// So they are from now on, if it is.
    virtual void round_values(B&) {}

    virtual Size bytes() const = 0;
    /// Of begin(), with residual or not, and of end().
    virtual Work begin_work(Index columns, bool with_residual) const = 0;
    virtual Work end_work(Index columns) const = 0;
};

/// What is common to smoothers whose steps are  d = some diagonal times r, x += d, r -= A d.
template <class B, class S>
class SteppingSmoother : public Smoother<B, S> {
public:
    using typename Smoother<B, S>::Vectors;
    explicit SteppingSmoother(CycleMatrix<B, S>&& a, int steps) : a_(std::move(a)), steps_(steps) {}

    void begin(B& backend, Vectors& v, Index columns, bool with_residual) override {
        first_step(backend, v, columns);
        further_steps(backend, v, columns);
        if (with_residual) subtract_product(backend, v.d, v.r, columns);
    }
    void end(B& backend, Vectors& v, Index columns) override {
        subtract_product(backend, v.e, v.r, columns);
        first_step_after_correction(backend, v, columns);
        further_steps(backend, v, columns);
    }

    Work begin_work(Index columns, bool with_residual) const override {
        return work(columns, steps_ - (with_residual ? 0 : 1), 5 * steps_ - 2);
    }
    Work end_work(Index columns) const override { return work(columns, steps_, 5 * steps_); }
    const CycleMatrix<B, S>& matrix() const { return a_; }

protected:
    /// d = D r,  x = d
    virtual void first_step(B&, Vectors&, Index columns) = 0;
    /// d = D r,  x += e + d
    virtual void first_step_after_correction(B&, Vectors&, Index columns) = 0;
    /// d = D r,  x += d
    virtual void step(B&, Vectors&, Index columns, int number) = 0;

    Size elements(Index columns) const { return Size{a_.n_rows()} * columns; }
    Size matrix_bytes() const { return a_.bytes(); }

private:
    /// r -= A x
    void subtract_product(B& backend, const VectorOf<B, S>& x, VectorOf<B, S>& r, Index columns) {
        multiply(backend, a_, columns, x, r, S{-1}, S{1});
    }
    void further_steps(B& backend, Vectors& v, Index columns) {
        for (int k = 1; k < steps_; ++k) {
            subtract_product(backend, v.d, v.r, columns);
            step(backend, v, columns, k);
        }
    }
    Work work(Index columns, int products, int streams) const {
        const Work one = spmm_work(a_, columns);
        const auto n = static_cast<double>(elements(columns));
        return {products * one.bytes + streams * n * sizeof(S), products * one.flops + 4 * steps_ * n};
    }

    CycleMatrix<B, S> a_;
    int steps_;
};

}  // namespace stiefel::amg
