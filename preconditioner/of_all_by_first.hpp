#pragma once

#include "stiefel/core/error.hpp"
#include "stiefel/core/memory.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/core/work.hpp"
#include "stiefel/preconditioner/concept.hpp"
#include "stiefel/world/exchange.hpp"
#include "stiefel/world/outside_world.hpp"
#include "stiefel/world/ranks.hpp"
#include "stiefel/world/row_blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace stiefel {

/// A preconditioner of all rows, which the first of several ranks has, as a factorisation of a system too small to be
/// shared: the others bring it what they have of R, and it takes them their rows of Z. Two messages of a rank, and the
/// others wait meanwhile; Z has the same bits on any number of ranks.
template <HostBackend B, class T, class M>
class OfAllByFirst {
public:
    /// m: in the first rank alone. All ranks make theirs at once; they outlive this object.
    OfAllByFirst(Ranks& ranks, RowBlocks blocks, std::optional<M> m)
        : ranks_(&ranks), blocks_(std::move(blocks)), m_(std::move(m)) {
        require(m_.has_value() == (ranks.rank() == 0), "a preconditioner of all rows is the first rank's");
        epsilon_ = told_by_first(ranks, m_ ? preconditioner_epsilon<T>(*m_) : 0.0);
    }

    void reserve(B& backend, Index columns) {
        if (!m_) {
            const Size n = blocks_.n_rows_of(ranks_->rank());
            if (here_.size() < n * columns) here_ = HostVector<T>(n * columns);
            return;
        }
        const OutsideWorld alone(backend);
        if constexpr (requires { m_->reserve(backend, columns); }) m_->reserve(backend, columns);
        if (here_.size() >= blocks_.n_rows() * columns) return;
        for (HostVector<T>* const panel : {&here_, &there_}) *panel = HostVector<T>(blocks_.n_rows() * columns);
    }

    double epsilon() const { return epsilon_; }
    Size bytes() const { return (m_ ? preconditioner_bytes(*m_) : 0) + here_.bytes() + there_.bytes(); }
    Work work(Index columns) const { return m_ ? preconditioner_work(*m_, columns) : Work{}; }
    PreconditionerDetails details() const { return m_ ? preconditioner_details(*m_) : PreconditionerDetails(); }

    friend void precondition(B& backend, const OfAllByFirst& m, MatrixOf<B, const T> r, MatrixOf<B, T> z) {
        copy_rows(r, m.here_.data());
        if (m.m_) {
            m.bring_all(r.n_cols, m.here_, true);
            const auto n = static_cast<Index>(m.blocks_.n_rows());
            {
                const OutsideWorld alone(backend);
                precondition(backend, *m.m_, MatrixOf<B, const T>{m.here_.data(), n, r.n_cols, r.n_cols},
                             MatrixOf<B, T>{m.there_.data(), n, r.n_cols, r.n_cols});
            }
            m.bring_all(r.n_cols, m.there_, false);
            copy_back(m.there_.data(), z);
        } else {
            m.bring_own(r.n_cols, true);
            m.bring_own(r.n_cols, false);
            copy_back(m.here_.data(), z);
        }
    }

private:
    static void copy_rows(MatrixOf<B, const T> from, T* to) {
        for (Index i = 0; i < from.n_rows; ++i)
            std::copy_n(from.data + Size{i} * from.ld, from.n_cols, to + Size{i} * from.n_cols);
    }
    static void copy_back(const T* from, MatrixOf<B, T> to) {
        for (Index i = 0; i < to.n_rows; ++i)
            std::copy_n(from + Size{i} * to.n_cols, to.n_cols, to.data + Size{i} * to.ld);
    }

    Ranks::Part part(int with, HostVector<T>& panel, Size first, Size n) const {
        return {with, reinterpret_cast<std::byte*>(panel.data() + first), n * static_cast<Size>(sizeof(T))};
    }

    /// In the first rank: the rows of all others come into the panel, or go out of it.
    void bring_all(Index columns, HostVector<T>& panel, bool come) const {
        std::vector<Ranks::Part> parts;
        for (int r = 1; r < ranks_->size(); ++r) {
            const Size n = blocks_.n_rows_of(r) * Size{columns};
            if (n > 0) parts.push_back(part(r, panel, blocks_.first(r) * columns, n));
        }
        exchange(parts, come);
    }
    /// In another: its own go to the first, or come from it.
    void bring_own(Index columns, bool go) const {
        std::vector<Ranks::Part> parts;
        const Size n = blocks_.n_rows_of(ranks_->rank()) * Size{columns};
        if (n > 0) parts.push_back(part(0, here_, 0, n));
        exchange(parts, !go);
    }
    void exchange(const std::vector<Ranks::Part>& parts, bool come) const {
        const std::vector<Ranks::Part> none;
        come ? ranks_->begin(none, parts) : ranks_->begin(parts, none);
        ranks_->end();
    }

    Ranks* ranks_;
    RowBlocks blocks_;
    std::optional<M> m_;
    double epsilon_ = 0;
    mutable HostVector<T> here_ = {};   // R: of all rows in the first rank, of its own, and then Z, in another
    mutable HostVector<T> there_ = {};  // Z of all rows
};

}  // namespace stiefel
