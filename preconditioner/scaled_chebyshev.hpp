#pragma once

#include "stiefel/preconditioner/chebyshev_interval.hpp"
#include "stiefel/preconditioner/jacobi.hpp"
#include "stiefel/preconditioner/panel.hpp"
#include "stiefel/preconditioner/spectrum_bounds.hpp"

namespace stiefel {

namespace detail {

/// S A S, with a diagonal S, for vectors: what D^-1 A is similar to if S = D^-1/2.
template <class B, class T, class A>
struct SymmetricallyScaled {
    const A& a;
    const VectorOf<B, T>& s;
    VectorOf<B, T>& room;

    friend void spmm(B& backend, const SymmetricallyScaled& m, MatrixOf<B, const T> x, MatrixOf<B, T> y, T alpha,
                     T beta) {
        const MatrixOf<B, T> scaled{m.room.data(), x.n_rows, 1, 1};
        const Size bytes = 3 * panel_bytes(scaled);
        for_rows(backend, x.n_rows, bytes, ScaleRows<T, typename B::memory>{m.s.data(), x, scaled});
        spmm(backend, m.a, scaled, y, alpha, beta);
        for_rows(backend, x.n_rows, bytes, ScaleRows<T, typename B::memory>{m.s.data(), y, y});
    }
};

}  // namespace detail

/// A polynomial in D^-1 A as preconditioner, D the diagonal of A: some steps of the Chebyshev iteration (Golub and
/// Varga 1961) for A z = r from z = 0, made for the upper part of the spectrum of D^-1 A as smoothers of multigrid are
/// (Adams, Brezina, Hu and Tuminaro 2003). Symmetric: p(D^-1 A) D^-1. With q the Chebyshev polynomial of the error,
/// q(0) = 1, it is p(t) = (1 - q(t)) / t, and |q| < 1 between 0 and the upper bound. q is of odd degree, `degree` + 1:
/// beyond the bound it is negative, so that p is positive for all t > 0, however good the bound. Costs `degree`
/// products and as many passes over vectors; two vectors of memory, and as many panels.
template <class B, class T, class A>
class ScaledChebyshev {
public:
    static constexpr const char* name = "chebyshev";
    static constexpr Size vectors_per_column = 2;
    using V = VectorOf<B, T>;
    using Panel = MatrixOf<B, T>;
    using ConstPanel = MatrixOf<B, const T>;

    /// a: must outlive this object. diagonal: its inverse diagonal. upper: bounds the spectrum of D^-1 A. columns: the
    /// most that it will be applied to at once.
    ScaledChebyshev(B& backend, const A& a, Jacobi<T, typename B::memory> diagonal, double upper, Index columns,
                    int degree)
        : a_(a),
          diagonal_(std::move(diagonal)),
          n_(static_cast<Index>(diagonal_.inverse_diagonal.size())),
          degree_(degree),
          interval_(chebyshev_interval(1, {}, upper, degree)),
          vectors_{make_vector<T>(backend, n_), make_vector<T>(backend, n_)} {
        require(degree >= 2 && degree % 2 == 0, "chebyshev: the degree must be even, at least 2");
        reserve(backend, columns);
    }

    /// To be called before it is applied to panels of more columns.
    void reserve(B& backend, Index columns) {
        if (columns == 1 || columns <= panels_[0].n_cols()) return;
        for (auto& panel : panels_) panel = make_multivector<T>(backend, n_, columns);
    }

    int degree() const { return degree_; }
    const ChebyshevInterval& interval() const { return interval_; }
    Size bytes() const {
        return diagonal_.inverse_diagonal.bytes() + 2 * (vectors_[0].bytes() + panels_[0].values().bytes());
    }

    Work work(Index columns) const {
        const Work product = columns == 1 ? work_of(a_) : panel_work_of(a_, columns);
        const double rows = static_cast<double>(n_), elements = rows * columns;
        const double steps = degree_;
        return {steps * (product.bytes + (5 * elements + rows) * sizeof(T)) + (2 * elements + rows) * sizeof(T),
                steps * (product.flops + 7 * elements) + 2 * elements};
    }

    friend void precondition(B& backend, const ScaledChebyshev& m, const V& r, V& z) {
        m.apply(backend, m.view(r), z, m.vectors_[0], m.vectors_[1]);
    }
    friend void precondition(B& backend, const ScaledChebyshev& m, ConstPanel r, Panel z) {
        const Index k = z.n_cols;
        if (m.panels_[0].n_cols() == 0) {
            require(k == 1, "chebyshev: made for one column at a time");
            Panel other = m.view(m.vectors_[0]), product = m.view(m.vectors_[1]);
            m.apply(backend, r, z, other, product);
        } else {
            Panel other = m.panels_[0].columns(0, k), product = m.panels_[1].columns(0, k);
            m.apply(backend, r, z, other, product);
        }
    }

private:
    using Rows = ChebyshevRows<T, typename B::memory>;

    ConstPanel view(const V& v) const { return {v.data(), n_, 1, 1}; }
    Panel view(V& v) const { return {v.data(), n_, 1, 1}; }
    static const Panel& view(const Panel& p) { return p; }

    void multiply(B& backend, const V& x, V& y) const { spmv(backend, a_, x, y, T{1}, T{0}); }
    void multiply(B& backend, const Panel& x, const Panel& y) const { spmm(backend, a_, x, y, T{1}, T{0}); }

    /// z, `other` and `product` are vectors, or panels.
    template <class Operand>
    void apply(B& backend, ConstPanel r, Operand& z, Operand& other, Operand& product) const {
        const double theta = (interval_.upper + interval_.lower) / 2;
        const double ratio = 2 * theta / (interval_.upper - interval_.lower);  // > 1
        const T* const d = diagonal_.inverse_diagonal.data();
        // z_1 = D^-1 r / theta; then two operands take turns, and the last step, an even one, ends in z.
        Operand* newer = &z;
        Operand* older = &other;
        for_rows(backend, n_, 3 * panel_bytes(r),
                 ScaleRows<T, typename B::memory>{d, r, view(z), static_cast<T>(1 / theta)});
        double omega = 2;
        for (int k = 1; k <= degree_; ++k) {
            omega = k == 1 ? 1 / (1 - 1 / (2 * ratio * ratio)) : 1 / (1 - omega / (4 * ratio * ratio));
            multiply(backend, *newer, product);
            for_rows(backend, n_, 6 * panel_bytes(r),
                     Rows{k == 1 ? T{0} : static_cast<T>(1 - omega), view(*older), static_cast<T>(omega), view(*newer),
                          static_cast<T>(omega / theta), d, r, view(product)});
            std::swap(newer, older);
        }
    }

    const A& a_;
    Jacobi<T, typename B::memory> diagonal_;
    Index n_;
    int degree_;
    ChebyshevInterval interval_;
    mutable V vectors_[2];
    mutable MultivectorOf<B, T> panels_[2];
};

/// Products of an application, where nothing else is asked for.
inline constexpr int default_chebyshev_degree = 4;

/// The preconditioner for A, n x n with n >= 1, with the bound of the spectrum that it needs.
template <class B, class T, PanelOperatorOn<B, T> A>
ScaledChebyshev<B, T, A> make_scaled_chebyshev(B& backend, const A& a, Jacobi<T, typename B::memory> diagonal,
                                               Index columns, int degree = default_chebyshev_degree) {
    const Size n = diagonal.inverse_diagonal.size();
    auto roots = make_vector<T>(backend, n);
    auto room = make_vector<T>(backend, n);
    for_rows(backend, n, 2 * roots.bytes(),
             RootRows<T, typename B::memory>{diagonal.inverse_diagonal.data(), roots.data()});
    const detail::SymmetricallyScaled<B, T, A> scaled{a, roots, room};
    const double upper = spectrum_bounds<B, T>(backend, scaled, static_cast<Index>(n), 1).upper;
    return {backend, a, std::move(diagonal), upper, columns, degree};
}

/// As it stands in preconditioner/list.hpp.
struct ListedChebyshev {
    static constexpr std::string_view name = "chebyshev";
    static constexpr std::string_view description =
        "a polynomial of degree 4 in D^-1 A: fewer, longer iterations, and so fewer sums to wait for";
    static constexpr std::string_view source = "Golub and Varga 1961; Adams, Brezina, Hu and Tuminaro 2003";

    template <class B, class T>
    static auto prepare(B& on, const Csr<T, typename B::memory>& csr) {
        return [m = make_jacobi(on, csr)](B& backend, const auto& a, Index columns) mutable {
            return make_scaled_chebyshev<B, T>(backend, a, std::move(m), columns);
        };
    }
};

}  // namespace stiefel
