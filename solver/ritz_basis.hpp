#pragma once

#include "stiefel/core/kernel_clock.hpp"
#include "stiefel/core/multivector.hpp"
#include "stiefel/dense/panel.hpp"
#include "stiefel/dense/panel_rows.hpp"
#include "stiefel/solver/eigen_watch.hpp"
#include "stiefel/solver/operator.hpp"
#include "stiefel/solver/ritz_problems.hpp"
#include "stiefel/solver/ritz_residual.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace stiefel {

// gram() and panel_update() of matrices wider than a panel, panel by panel.

template <class B, class T>
void wide_gram(B& backend, MatrixView<const T, typename B::memory> p, MatrixOf<B, const std::type_identity_t<T>> q,
               MatrixOf<B, double> g) {
    const auto columns = [](auto m, Index first, Index count) {
        m.data += first;
        m.n_cols = count;
        return m;
    };
    for (Index i = 0; i < p.n_cols; i += max_panel_columns) {
        const Index rows = std::min(max_panel_columns, p.n_cols - i);
        for (Index j = 0; j < q.n_cols; j += max_panel_columns) {
            const Index cols = std::min(max_panel_columns, q.n_cols - j);
            gram<T>(backend, columns(p, i, rows), columns(q, j, cols),
                    MatrixOf<B, double>{g.data + i * g.ld + j, rows, cols, g.ld});
        }
    }
}

template <class B, class T>
void wide_panel_update(B& backend, double alpha, MatrixView<const T, typename B::memory> x, MatrixOf<B, const double> b,
                       double beta, MatrixOf<B, std::type_identity_t<T>> y) {
    for (Index j = 0; j < y.n_cols; j += max_panel_columns) {
        const Index cols = std::min(max_panel_columns, y.n_cols - j);
        for (Index i = 0; i < x.n_cols; i += max_panel_columns) {
            const Index rows = std::min(max_panel_columns, x.n_cols - i);
            panel_update<T>(backend, alpha, {x.data + i, x.n_rows, rows, x.ld},
                            {b.data + i * b.ld + j, rows, cols, b.ld}, i == 0 ? beta : 1.0,
                            {y.data + j, y.n_rows, cols, y.ld});
        }
    }
}

/// What block eigensolvers are made of: an orthonormal basis S = [X P W] of long vectors with A S beside it, and
/// the Rayleigh-Ritz procedure on it. A is a ScaledOperator. X are `block` columns, P and W up to as many, if the basis
/// was made with them. All small matrices stay in the backend's memory. Vectors of n: 4 times the columns of S, and
/// `block`.
template <class B, class T, class A>
class RitzBasis {
public:
    using Memory = typename B::memory;
    using Panel = MatrixView<T, Memory>;
    using ConstPanel = MatrixView<const T, Memory>;

    static constexpr Size vectors_per_column(Index parts) { return 4 * parts + 1; }

    /// parts: 1 for X alone, 3 for X, P and W.
    RitzBasis(B& backend, const A& a, Size n, Index block, Index parts, EigenEnd which)
        : backend_(backend),
          a_(a),
          n_(static_cast<Index>(n)),
          block_(block),
          width_(parts * block),
          which_(which),
          s_(make_multivector<T>(backend, n_, width_)),
          as_(make_multivector<T>(backend, n_, width_)),
          next_s_(make_multivector<T>(backend, n_, width_)),
          next_as_(make_multivector<T>(backend, n_, width_)),
          r_(make_multivector<T>(backend, n_, block)),
          t_(make_vector<double>(backend, Size{width_} * width_)),
          gram_(make_vector<double>(backend, Size{width_} * block)),
          f_(make_vector<double>(backend, Size{width_} * block)),
          c_(make_vector<double>(backend, Size{width_} * 2 * block)),
          report_(make_vector<double>(backend, 2 * Size{block})),
          work_(make_vector<double>(backend, 3 * Size{block} * block + block)),
          eigen_(make_vector<double>(backend, SmallEigen::doubles(width_))),
          basis_(make_vector<double>(backend, (Size{width_} + 1) * (block + 1))),
          indices_(make_vector<Index>(backend, 2 * Size{width_})),
          ranks_(make_vector<Index>(backend, 3)),
          clock_(backend, {{.name = "spmm"},
                           {.name = "gram"},
                           {.name = "panel_update"},
                           {.name = "residual"},
                           {.name = "small problems"},
                           {.name = "preconditioner"}}),
          work_done_(6) {
        upload(backend, HostVector<Index>(3, Index{0}), ranks_);
    }

    Index block() const { return block_; }
    B& backend() const { return backend_; }
    Size n() const { return n_; }
    int exponent() const { return a_.exponent; }
    Panel x() { return s_.columns(0, block_); }
    Panel ax() { return as_.columns(0, block_); }
    /// Room for W, behind the P there is.
    Panel w(Index columns) { return s_.columns(block_ + p_, columns); }
    /// Residuals of X; scratch of orthonormalise().
    Panel r(Index columns) { return r_.columns(0, columns); }
    /// A panel that holds nothing between steps.
    Panel spare() { return next_s_.columns(0, block_); }
    void swap_spare() { std::swap(s_, next_s_); }

    /// A times columns first .. first + count - 1 of S, afresh.
    void multiply(Index first, Index count) {
        multiply(s_.columns(first, count), as_.columns(first, count), T{1}, T{0});
    }
    void multiply(Panel x, Panel y, T alpha, T beta) {
        if (x.n_cols == 0) return;
        timed(kSpmm, panel_work_of(a_, x.n_cols), [&] { spmm(backend_, a_, x, y, alpha, beta); });
    }
    void multiply_w(Index columns) { multiply(block_ + p_, columns); }

    /// Makes X orthonormal; dependent columns are made up anew at random. Returns false if that fails.
    bool orthonormalise_x(std::uint64_t seed) {
        for (int attempt = 0; attempt < 3; ++attempt) {
            orthonormalise(0, block_, 2);
            HostVector<Index> ranks(3);
            download(backend_, ranks_, ranks);
            if (ranks[2] == block_) return true;
            random_panel<B, T>(backend_, seed + static_cast<std::uint64_t>(attempt),
                               s_.columns(ranks[2], block_ - ranks[2]));
        }
        return false;
    }

    /// Makes W orthonormal and orthogonal to X and P.
    void orthonormalise_w(Index columns) { orthonormalise(block_ + p_, columns, 1); }

    /// X and P made orthonormal once more, A S multiplied afresh, and new Ritz vectors from them: what rounding has
    /// blurred on the way is gone.
    bool refresh(std::uint64_t seed) {
        if (!orthonormalise_x(seed)) return false;
        orthonormalise(block_, p_, 0);
        multiply(0, block_ + p_);
        timed_gram(s_.columns(0, block_ + p_), as_.columns(0, block_ + p_), t_.data(), width_);
        rayleigh_ritz(0, ColumnList::first(p_), true);
        return true;
    }

    /// New X from S with `w` columns of W, and P from the active columns of the old X, or, as complement, from what
    /// the new one leaves of S. T must hold S'A S: what project_w() leaves.
    void rayleigh_ritz(Index w, const ColumnList& active, bool complement = false) {
        const RayleighRitzProblem problem{.x = block_,
                                          .p = p_,
                                          .w = w,
                                          .wanted = block_,
                                          .active = active,
                                          .complement = complement,
                                          .which = which_,
                                          .t = t_.data(),
                                          .ldt = width_,
                                          .ranks = ranks_.data(),
                                          .c = c_.data(),
                                          .values = values(),
                                          .eigen = eigen_.data(),
                                          .basis = basis_.data(),
                                          .indices = indices_.data()};
        timed(kSmall, {}, [&] { run_small(backend_, problem); });
        const Index from = block_ + p_ + w, to = block_ + active.count;
        const MatrixOf<B, const double> c{c_.data(), from, to, to};
        timed_update(s_.columns(0, from), c, next_s_.columns(0, to));
        timed_update(as_.columns(0, from), c, next_as_.columns(0, to));
        std::swap(s_, next_s_);
        std::swap(as_, next_as_);
        p_ = active.count;
    }

    /// The part of T = S'A S that is new with W.
    void project_w(Index columns) {
        const Index from = block_ + p_;
        timed_gram(s_.columns(0, from + columns), as_.columns(from, columns), t_.data() + from, width_);
    }

    /// T = X'A X
    void project_x() { timed_gram(x(), ax(), t_.data(), width_); }

    struct Report {
        std::vector<double> values;
        std::vector<double> norms;
    };

    /// Ritz values of X and the norms of R = A X - X diag(values), which is left in r(). Waits for them.
    Report residuals() {
        const double bytes = 3.0 * static_cast<double>(panel_bytes(x()));
        timed(kResidual, {bytes, 4.0 * static_cast<double>(n_) * block_},
              [&] { ritz_residual<T>(backend_, ax(), x(), values(), r(block_), values() + block_); });
        HostVector<double> both(2 * Size{block_});
        download(backend_, report_, both);
        Report report;
        for (Index j = 0; j < block_; ++j) {
            report.values.push_back(both[j]);
            report.norms.push_back(std::sqrt(both[block_ + j]));
        }
        return report;
    }

    /// r() keeps these columns only, as its first.
    void keep_residuals(const ColumnList& list) {
        if (list.count == block_) return;
        timed(kResidual, {}, [&] {
            for_rows(backend_, n_, panel_bytes(x()), KeepColumns<T, Memory>{list, r(block_)});
        });
    }

    template <class F>
    void time_preconditioner(const Work& work, F&& f) {
        timed(kPreconditioner, work, f);
    }

    /// Times are of all calls, work is the average of one.
    std::vector<KernelTime> kernels() const {
        std::vector<KernelTime> kernels = clock_.kernels();
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            const auto calls = static_cast<double>(std::max<Size>(1, work_done_[i].calls));
            kernels[i].work = {work_done_[i].total.bytes / calls, work_done_[i].total.flops / calls};
        }
        std::erase_if(kernels, [](const KernelTime& kernel) { return kernel.calls == 0; });
        return kernels;
    }

private:
    enum Kernel : std::size_t { kSpmm, kGram, kUpdate, kResidual, kSmall, kPreconditioner };
    struct Done {
        Size calls = 0;
        Work total = {};
    };

    double* values() { return report_.data(); }

    template <class F>
    void timed(Kernel kernel, const Work& work, F&& f) {
        clock_.start();
        f();
        clock_.lap(kernel);
        Done& done = work_done_[kernel];
        ++done.calls;
        done.total.bytes += work.bytes;
        done.total.flops += work.flops;
    }

    void timed_gram(ConstPanel p, ConstPanel q, double* g, Size ldg) {
        if (q.n_cols == 0 || p.n_cols == 0) return;
        timed(kGram, gram_work<T>(n_, p.n_cols, q.n_cols, p.data == q.data && p.n_cols == q.n_cols), [&] {
            wide_gram<B, T>(backend_, p, q, {g, p.n_cols, q.n_cols, ldg});
        });
    }
    void timed_update(ConstPanel x, MatrixOf<B, const double> b, Panel y, double beta = 0) {
        if (x.n_cols == 0 || y.n_cols == 0) return;
        timed(kUpdate, panel_update_work<T>(n_, x.n_cols, y.n_cols, beta != 0),
              [&] { wide_panel_update<B, T>(backend_, 1, x, b, beta, y); });
    }

    /// Two passes of OrthonormaliseProblem over columns first .. first + count - 1 of S, against those before them; the
    /// rank goes to ranks_[rank]. The first pass writes to r(), the second back.
    void orthonormalise(Index first, Index count, Size rank) {
        if (count == 0) return;
        const ConstPanel before = s_.columns(0, first);
        const ConstPanel with_before = s_.columns(0, first + count);
        double* const of_count = f_.data() + Size{first} * count;
        const OrthonormaliseProblem problem{.v = first,
                                            .w = count,
                                            .tolerance = 100 * std::numeric_limits<T>::epsilon(),
                                            .gram_v = gram_.data(),
                                            .gram_w = gram_.data() + Size{first} * count,
                                            .f = f_.data(),
                                            .work = work_.data(),
                                            .rank = ranks_.data() + rank};
        timed_gram(with_before, s_.columns(first, count), gram_.data(), count);
        timed(kSmall, {}, [&] { run_small(backend_, problem); });
        timed_update(with_before, {f_.data(), first + count, count, count}, r(count));

        timed_gram(before, r(count), gram_.data(), count);
        timed_gram(r(count), r(count), gram_.data() + Size{first} * count, count);
        timed(kSmall, {}, [&] { run_small(backend_, problem); });
        timed_update(r(count), {of_count, count, count, count}, s_.columns(first, count));
        timed_update(before, {f_.data(), first, count, count}, s_.columns(first, count), 1);
    }

    B& backend_;
    const A& a_;
    Index n_;
    Index block_;
    Index width_;
    EigenEnd which_;
    Index p_ = 0;
    MultivectorOf<B, T> s_, as_, next_s_, next_as_;
    MultivectorOf<B, T> r_;
    VectorOf<B, double> t_, gram_, f_, c_, report_, work_, eigen_, basis_;
    VectorOf<B, Index> indices_, ranks_;
    KernelClock<B> clock_;
    std::vector<Done> work_done_;
};

}  // namespace stiefel
