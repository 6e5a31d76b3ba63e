#include "stiefel/preconditioner/cholesky/factor.hpp"

#include "stiefel/preconditioner/cholesky/assembly.hpp"
#include "stiefel/preconditioner/cholesky/checked_entries.hpp"
#include "stiefel/preconditioner/cholesky/room_plan.hpp"
#include "stiefel/preconditioner/host_diagonal.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

namespace stiefel::cholesky {

namespace {

/// Flops from which a supernode is worth more than one thread.
constexpr double flops_to_share = 1e6;

template <class T>
Size rest_size(const Symbolic& symbolic, Index s) {
    return symbolic.height(s) * leading_dimension<T>(symbolic.height(s));
}

/// Elements that a supernode's columns take.
template <class T>
Size columns_size(const Symbolic& symbolic, Index s) {
    return symbolic.width(s) * (leading_dimension<T>(symbolic.width(s)) + leading_dimension<T>(symbolic.height(s)));
}

/// What supernodes of a subtree pass up lies on two stacks, those of even and of odd depth: a supernode's children are
/// the last on theirs, and its own goes onto the other. The least room that does for the subtree, its root's left out.
template <class T>
Size stack_size(const Symbolic& symbolic, Index root) {
    Size used = 0, most = 0;
    for (Index s = symbolic.first_below[root]; s < root; ++s) {
        used += rest_size<T>(symbolic, s);
        most = std::max(most, used);
        for (Index c = symbolic.first_child[s]; c != -1; c = symbolic.next_sibling[c]) {
            used -= rest_size<T>(symbolic, c);
        }
    }
    return most;
}

template <class T>
Size deepest_stack(const Symbolic& symbolic, const Schedule& schedule) {
    Size most = 0;
    for (const Index root : schedule.subtrees) most = std::max(most, stack_size<T>(symbolic, root));
    return most;
}

/// Where lies what roots of subtrees and supernodes above them pass on, until their parents have taken it.
template <class T>
class Kept {
public:
    Kept(const Symbolic& symbolic, const Schedule& schedule) : at_(symbolic.size(), -1) {
        RoomPlan plan;
        for (const Index root : schedule.subtrees) at_[root] = plan.take(rest_size<T>(symbolic, root));
        for (const Index s : schedule.top) {
            at_[s] = plan.take(rest_size<T>(symbolic, s));
            for (Index c = symbolic.first_child[s]; c != -1; c = symbolic.next_sibling[c]) {
                plan.give(at_[c], rest_size<T>(symbolic, c));
            }
        }
        length_ = plan.length();
    }

    Size length() const { return length_; }
    /// -1 within subtrees.
    Size at(Index s) const { return at_[s]; }

private:
    HostVector<Size> at_;
    Size length_ = 0;
};

}  // namespace

/// One computation of L, and what it needs beside it.
template <class T>
class Factor<T>::Computation {
public:
    Computation(Factor& factor, const HostCsr<T>& a, const HostVector<T>& diagonal, StopWatcher& watcher)
        : factor_(factor),
          watcher_(watcher),
          symbolic_(factor.symbolic_),
          a_(a),
          diagonal_factor_(static_cast<T>(1 + factor.shift_)),
          passed_(symbolic_.size()),
          is_even_(symbolic_.size()),
          least_(symbolic_.n),
          threads_(static_cast<std::size_t>(factor.schedule_.threads)) {
        constexpr T tolerance = 16 * std::numeric_limits<T>::epsilon();
        for (Index j = 0; j < symbolic_.n; ++j) least_[j] = tolerance * diagonal[symbolic_.order[j]];
        for (Index s = symbolic_.size() - 1; s >= 0; --s) {
            is_even_[s] = symbolic_.parent[s] == -1 || !is_even_[symbolic_.parent[s]];
        }
        lay_out();
    }

    /// False where a pivot is too small. Throws GivenUp.
    bool run() {
        const Schedule& schedule = factor_.schedule_;
        const auto n = static_cast<Size>(schedule.subtrees.size());
#pragma omp parallel for num_threads(schedule.threads) schedule(dynamic, 1) if (schedule.threads > 1 && n > 1)
        for (Size k = 0; k < n; ++k) compute_subtree(schedule.subtrees[static_cast<std::size_t>(k)]);
        for (const Index s : schedule.top) {
            look_for_stop();
            const double w = symbolic_.width(s), h = symbolic_.height(s);
            const bool is_shared = w * w * w / 3 + w * w * h + w * h * h > flops_to_share;
            compute(s, is_shared ? schedule.threads : 1, threads_.front());
        }
        if (is_stopped_) throw GivenUp("cholesky: the factorisation was given up");
        return !failed_;
    }

private:
    struct OfThread {
        HostVector<T> stack;
        HostVector<Index> local;
    };

    void lay_out() {
        const Kept<T> kept(symbolic_, factor_.schedule_);
        kept_ = HostVector<T>(kept.length());
        for (Index s = 0; s < symbolic_.size(); ++s) {
            if (kept.at(s) >= 0) passed_[s] = kept_.data() + kept.at(s);
        }
        const Size stack = deepest_stack<T>(symbolic_, factor_.schedule_);
        for (OfThread& own : threads_) own = {HostVector<T>(stack), HostVector<Index>(symbolic_.n)};
    }

    void compute_subtree(Index root) {
        OfThread& own = threads_[static_cast<std::size_t>(omp_get_thread_num())];
        T* low = own.stack.data();
        T* high = low + own.stack.size();
        for (Index s = symbolic_.first_below[root]; s <= root && !failed_; ++s) {
            if (omp_get_thread_num() == 0) look_for_stop();
            const Size size = rest_size<T>(symbolic_, s);
            if (s < root) passed_[s] = is_even_[s] ? std::exchange(low, low + size) : high -= size;
            compute(s, 1, own);
            for (Index c = symbolic_.first_child[s]; c != -1; c = symbolic_.next_sibling[c]) {
                const Size done = rest_size<T>(symbolic_, c);
                is_even_[c] ? low -= done : high += done;
            }
        }
    }

    /// By the thread that began.
    void look_for_stop() {
        if (is_stopped_ || !watcher_.stops()) return;
        is_stopped_ = true;
        failed_ = true;
    }

    void compute(Index s, int threads, OfThread& own) {
        if (failed_) return;
        const Front<T> front = factor_.front_of(s, passed_[s]);
        begin_front(a_, symbolic_, s, diagonal_factor_, own.local.data(), front);
        for (Index c = symbolic_.first_child[s]; c != -1; c = symbolic_.next_sibling[c]) {
            add_child<T>(symbolic_, c, passed_[c], leading_dimension<T>(symbolic_.height(c)), threads, front);
        }
        if (factor_front(threads, front, least_.data() + symbolic_.first_column[s]) < front.width) failed_ = true;
    }

    Factor& factor_;
    StopWatcher& watcher_;
    const Symbolic& symbolic_;
    const HostCsr<T>& a_;
    T diagonal_factor_;
    HostVector<T*> passed_;     // by each supernode, while it is needed
    HostVector<bool> is_even_;  // depth
    HostVector<T> least_;       // that the pivot of each column must exceed
    HostVector<T> kept_;
    std::vector<OfThread> threads_;
    std::atomic<bool> failed_ = false;  // or stopped
    bool is_stopped_ = false;
};

template <class T>
bool Factor<T>::try_compute(const HostCsr<T>& a, const HostVector<T>& diagonal, StopWatcher& watcher) {
    return Computation(*this, a, diagonal, watcher).run();
}

template <class T>
Factor<T>::Factor(Symbolic symbolic, int threads)
    : symbolic_(std::move(symbolic)), schedule_(make_schedule(symbolic_, threads)), start_(Size{symbolic_.size()} + 1) {
    start_[0] = 0;
    for (Index s = 0; s < symbolic_.size(); ++s) start_[s + 1] = start_[s] + columns_size<T>(symbolic_, s);
    const Size beside =
        Kept<T>(symbolic_, schedule_).length() + schedule_.threads * deepest_stack<T>(symbolic_, schedule_);
    const Size needed = (start_[symbolic_.size()] + beside) * static_cast<Size>(sizeof(T)) +
                        threads * symbolic_.n * static_cast<Size>(sizeof(Index));
    if (const Size available = available_memory(); needed > available) {
        throw OutOfMemory(
            fmt::format("the factor of cholesky, {:.3g} nonzeros,", static_cast<double>(symbolic_.nonzeros)), needed,
            available);
    }
    values_ = HostVector<T>(start_[symbolic_.size()]);
}

template <class T>
Front<T> Factor<T>::front_of(Index s, T* rest) {
    const Index w = symbolic_.width(s), h = symbolic_.height(s);
    T* const l1 = values_.data() + start_[s];
    const Size ld1 = leading_dimension<T>(w);
    return {.width = w,
            .height = h,
            .l1 = l1,
            .ld1 = ld1,
            .l2 = l1 + w * ld1,
            .ld2 = leading_dimension<T>(h),
            .rest = rest};
}

template <class T>
Columns<T> Factor<T>::columns(Index s) const {
    const Index w = symbolic_.width(s), h = symbolic_.height(s);
    const T* const l1 = values_.data() + start_[s];
    const Size ld1 = leading_dimension<T>(w);
    return {.width = w, .height = h, .l1 = l1, .ld1 = ld1, .l2 = l1 + w * ld1, .ld2 = leading_dimension<T>(h)};
}

template <class T>
Size Factor<T>::bytes() const {
    return values_.bytes() + start_.bytes() + symbolic_.order.bytes() + symbolic_.place.bytes() +
           symbolic_.rows.bytes() + symbolic_.in_parent.bytes() + 6 * symbolic_.parent.bytes();
}

template <class T>
void Factor<T>::compute(const HostCsr<T>& a, const StopRequest& stops) {
    StopWatcher watcher(stops);
    constexpr double first_shift = 512 * static_cast<double>(std::numeric_limits<T>::epsilon()), growth = 64;
    const HostVector<T> diagonal = positive_diagonal(a);
    shift_ = 0;
    for (attempts_ = 1; !try_compute(a, diagonal, watcher); ++attempts_) {
        if (attempts_ == 1) require_finite(a);
        shift_ = shift_ == 0 ? first_shift : growth * shift_;
        if (shift_ > most_shift) throw InvalidArgument("cholesky: A has entries that outweigh its diagonal by far");
    }
}

template class Factor<double>;
template class Factor<float>;

}  // namespace stiefel::cholesky
