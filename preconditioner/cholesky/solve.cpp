#include "stiefel/preconditioner/cholesky/solve.hpp"

#include <omp.h>

#include <algorithm>
#include <vector>

namespace stiefel::cholesky {

namespace {

/// Nonzeros of L from which threads repay being woken.
constexpr Size nonzeros_to_share = 100000;

}  // namespace

template <class T>
TreeSolve<T>::TreeSolve(const Factor<T>& factor, Index columns)
    : columns_(columns), start_(Size{factor.symbolic().size()} + 1) {
    const Symbolic& symbolic = factor.symbolic();
    start_[0] = 0;
    for (Index s = 0; s < symbolic.size(); ++s) start_[s + 1] = start_[s] + padded<T>(symbolic.height(s));
    x_ = HostVector<T>(Size{symbolic.n} * columns);
    passed_ = HostVector<T>(start_[symbolic.size()] * columns);
}

/// Both ways through the tree with k columns.
template <class T>
class TreeSolve<T>::Pass {
public:
    Pass(TreeSolve& solve, const Factor<T>& factor, Index k)
        : factor_(factor),
          symbolic_(factor.symbolic()),
          solve_(solve),
          k_(k),
          kernels_(block_kernels<T>()),
          own_(static_cast<std::size_t>(threads())) {
        Size widest = 0, highest = 0;
        for (Index s = 0; s < symbolic_.size(); ++s) {
            widest = std::max<Size>(widest, symbolic_.width(s));
            highest = std::max<Size>(highest, symbolic_.height(s));
        }
        for (Buffers& own : own_) own = {HostVector<T>(padded<T>(widest)), HostVector<T>(padded<T>(highest))};
    }

    int threads() const { return symbolic_.nonzeros > nonzeros_to_share ? factor_.schedule().threads : 1; }

    void up() {
        for_subtrees([&](Index root, Buffers& own) {
            for (Index s = symbolic_.first_below[root]; s <= root; ++s) forward(s, own);
        });
        for (const Index s : factor_.schedule().top) forward(s, own_.front());
    }

    void down() {
        const std::vector<Index>& top = factor_.schedule().top;
        std::for_each(top.rbegin(), top.rend(), [&](Index s) { backward(s, own_.front()); });
        for_subtrees([&](Index root, Buffers& own) {
            for (Index s = root; s >= symbolic_.first_below[root]; --s) backward(s, own);
        });
    }

private:
    struct Buffers {
        HostVector<T> x1, x2;
    };

    template <class F>
    void for_subtrees(F&& f) {
        const std::vector<Index>& roots = factor_.schedule().subtrees;
        const auto n = static_cast<Size>(roots.size());
#pragma omp parallel for num_threads(threads()) schedule(dynamic, 1) if (threads() > 1 && n > 1)
        for (Size q = 0; q < n; ++q) {
            f(roots[static_cast<std::size_t>(q)], own_[static_cast<std::size_t>(omp_get_thread_num())]);
        }
    }

    T* x_of(Index s, Index j) {
        return solve_.x_.data() + Size{j} * symbolic_.n + symbolic_.first_column[s];
    }
    T* passed(Index s, Index j) {
        return solve_.passed_.data() + solve_.start_[s] * k_ + j * size_of(s);
    }
    Size size_of(Index s) const {
        return solve_.start_[s + 1] - solve_.start_[s];
    }

    void forward(Index s, Buffers& own) {
        const Columns<T> l = factor_.columns(s);
        for (Index j = 0; j < k_; ++j) {
            T* const x = x_of(s, j);
            T* const x1 = own.x1.data();
            T* const x2 = passed(s, j);
            std::copy_n(x, l.width, x1);
            std::fill_n(x1 + l.width, padded<T>(l.width) - l.width, T{0});
            std::fill_n(x2, size_of(s), T{0});
            for (Index c = symbolic_.first_child[s]; c != -1; c = symbolic_.next_sibling[c]) {
                const Index* const at = symbolic_.in_parent.data() + symbolic_.row_start[c];
                const T* const from = passed(c, j);
                const Index n = symbolic_.height(c);
                Index i = 0;
                for (; i < n && at[i] < l.width; ++i) x1[at[i]] += from[i];
                for (; i < n; ++i) x2[at[i] - l.width] += from[i];
            }
            kernels_.forward(l.width, l.height, l.l1, l.ld1, l.l2, l.ld2, x1, x2);
            std::copy_n(x1, l.width, x);
        }
    }

    void backward(Index s, Buffers& own) {
        const Columns<T> l = factor_.columns(s);
        const Index* const rows = symbolic_.rows.data() + symbolic_.row_start[s];
        for (Index j = 0; j < k_; ++j) {
            T* const x = x_of(s, j);
            const T* const all = solve_.x_.data() + Size{j} * symbolic_.n;
            T* const x1 = own.x1.data();
            T* const x2 = own.x2.data();
            std::copy_n(x, l.width, x1);
            std::fill_n(x1 + l.width, padded<T>(l.width) - l.width, T{0});
            for (Index i = 0; i < l.height; ++i) x2[i] = all[rows[i]];
            std::fill_n(x2 + l.height, padded<T>(l.height) - l.height, T{0});
            kernels_.backward(l.width, l.height, l.l1, l.ld1, l.l2, l.ld2, x1, x2);
            std::copy_n(x1, l.width, x);
        }
    }

    const Factor<T>& factor_;
    const Symbolic& symbolic_;
    TreeSolve& solve_;
    Index k_;
    const BlockKernels<T>& kernels_;
    std::vector<Buffers> own_;
};

template <class T>
void TreeSolve<T>::run(const Factor<T>& factor, MatrixView<const T, HostMemory> r, MatrixView<T, HostMemory> z) {
    const Index n = r.n_rows, k = r.n_cols;
    const Index* const order = factor.symbolic().order.data();
    Pass pass(*this, factor, k);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < k; ++j) x_[Size{j} * n + i] = r.data[order[i] * r.ld + j];
    }
    pass.up();
    pass.down();
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < k; ++j) z.data[order[i] * z.ld + j] = x_[Size{j} * n + i];
    }
}

template class TreeSolve<double>;
template class TreeSolve<float>;

}  // namespace stiefel::cholesky
