#pragma once

#include "stiefel/core/linear_operator.hpp"
#include "stiefel/preconditioner/chebyshev_interval.hpp"
#include "stiefel/preconditioner/eigen_end.hpp"
#include "stiefel/preconditioner/panel.hpp"
#include "stiefel/preconditioner/spectrum_bounds.hpp"

namespace stiefel {

/// A polynomial in A as preconditioner of LOBPCG: `degree` steps of the Chebyshev iteration (Golub and Varga 1961) for
/// (A - sigma I) W = R, with sigma the outermost Ritz value of the moment and the unwanted part of the spectrum as its
/// interval; for the largest pairs, of -A. The polynomial is positive on the whole spectrum wherever sigma lies: with
/// q the Chebyshev polynomial of the residual, q(sigma) = 1, it is (1 - q(lambda)) / (lambda - sigma), and q > 1 where
/// lambda < sigma. So it suits indefinite matrices as well, and needs nothing of A but products.
/// Costs `degree` products with a panel and as many passes over it; two panels of memory.
template <class B, class T, class A>
class ShiftedChebyshev {
public:
    static constexpr const char* name = "shifted-chebyshev";
    static constexpr Size vectors_per_column = 2;
    using Panel = MatrixView<T, typename B::memory>;
    using ConstPanel = MatrixView<const T, typename B::memory>;

    /// a: must outlive this object. which: smallest or largest. block: the most columns that it will be applied to.
    ShiftedChebyshev(B& backend, const A& a, Index n, Index block, EigenEnd which, int degree,
                     const SpectrumBounds& bounds)
        : a_(a),
          sign_(which == EigenEnd::largest ? -1 : 1),
          degree_(degree),
          upper_(sign_ > 0 ? bounds.upper : -bounds.lower),
          panels_{make_multivector<T>(backend, n, block), make_multivector<T>(backend, n, block)} {
        require(degree >= 1, "shifted_chebyshev: the degree must be at least 1");
        require(which != EigenEnd::magnitude, "shifted_chebyshev: the wanted end must be smallest or largest");
    }

    int degree() const { return degree_; }

    /// A step reads what its product is added to and passes over three panels, one of which it writes; at the ends a
    /// panel is written, and two are copied.
    Work work(Index columns) const {
        const Work product = panel_work_of(a_, columns);
        const double elements = static_cast<double>(panels_[0].n_rows()) * columns;
        return {degree_ * (product.bytes + 5 * elements * sizeof(T)) + 5 * elements * sizeof(T),
                degree_ * (product.flops + 4 * elements) + elements};
    }

    friend void precondition(B& backend, const ShiftedChebyshev& m, ConstPanel r, Panel w, const RitzSpan& span) {
        m.apply(backend, r, w, span);
    }

private:
    /// y := (1 - omega) y + omega x + omega / theta (R - (sign A - sigma) x)
    void step(B& backend, double omega, double theta, double sigma, ConstPanel x, ConstPanel r, Panel y) const {
        spmm(backend, a_, x, y, static_cast<T>(-omega * sign_ / theta), static_cast<T>(1 - omega));
        for_rows(backend, y.n_rows, 4 * panel_bytes(y),
                 CombineRows<T, typename B::memory>{static_cast<T>(omega + omega * sigma / theta), x,
                                                    static_cast<T>(omega / theta), r, y});
    }

    void apply(B& backend, ConstPanel r, Panel w, const RitzSpan& span) const {
        const ChebyshevInterval unwanted = chebyshev_interval(sign_, span, upper_, degree_);
        const double sigma = unwanted.target;
        const double theta = (unwanted.upper + unwanted.lower) / 2 - sigma;
        const double ratio = 2 * theta / (unwanted.upper - unwanted.lower);  // > 1
        // W_0 = 0, W_1 = R / theta; then two panels take turns.
        Panel newer = panels_[0].columns(0, r.n_cols), older = panels_[1].columns(0, r.n_cols);
        assign_panel<B, T>(backend, static_cast<T>(1 / theta), r, newer);
        assign_panel<B, T>(backend, T{0}, r, older);
        double omega = 2;
        for (int k = 1; k <= degree_; ++k) {
            omega = k == 1 ? 1 / (1 - 1 / (2 * ratio * ratio)) : 1 / (1 - omega / (4 * ratio * ratio));
            step(backend, omega, theta, sigma, newer, r, older);
            std::swap(newer, older);
        }
        assign_panel<B, T>(backend, T{1}, newer, w);
    }

    const A& a_;
    double sign_;
    int degree_;
    double upper_;
    mutable MultivectorOf<B, T> panels_[2];
};

/// The preconditioner for A: n x n, with the bounds of its spectrum that it needs.
template <class B, class T, PanelOperatorOn<B, T> A>
ShiftedChebyshev<B, T, A> make_shifted_chebyshev(B& backend, const A& a, Index n, Index block, EigenEnd which,
                                                 int degree = 10) {
    return {backend, a, n, block, which, degree, spectrum_bounds<B, T>(backend, a, n, 1)};
}

}  // namespace stiefel
