#pragma once

#include "stiefel/cli/options.hpp"
#include "stiefel/spmv/csr.hpp"

#include <array>
#include <string>

namespace stiefel::cli {

enum class ReorderWord { automatic, none, rcm, amd };

inline constexpr std::array reorder_choices{
    Choice<ReorderWord>{"auto", ReorderWord::automatic}, Choice<ReorderWord>{"none", ReorderWord::none},
    Choice<ReorderWord>{"rcm", ReorderWord::rcm}, Choice<ReorderWord>{"amd", ReorderWord::amd}};

/// The order in which a system is solved.
struct Reordering {
    ReorderWord taken = ReorderWord::none;
    HostVector<Index> order = {};  ///< row k of what is solved is row order[k] of A; empty where rows stay
    std::string reason = {};       ///< what came of it, or why rows stay; empty where there is nothing to say
};

/// By the graph of A, rows that cannot be told apart staying together, so that the unknowns of a node remain a block;
/// where `unknowns` of a node are told (1: they are not), nodes stay whole though their rows differ. `auto` takes
/// reverse Cuthill-McKee where x is larger than a cache and rows are numbered as if by chance, if that brings them
/// together.
template <class T>
Reordering find_order(const HostCsr<T>& a, ReorderWord asked, Index unknowns = 1);

// The steps of it, which several ranks take for the rows and columns that each holds, to decide by what all have found.

/// How far from the diagonal entries lie.
struct Distances {
    double sum = 0, count = 0;
    double mean() const { return count > 0 ? sum / count : 0; }
};

/// Of all rows, by every 16th where they are many, where row k is row order[k] of a; as they are if that is empty.
template <class T>
Distances distances(const HostCsr<T>& a, const HostVector<Index>& order);

/// Whether x of so many rows is larger than a cache, so that `auto` looks at how they are numbered.
bool is_large(Index n_rows);

/// Whether they are numbered as if by chance, so that `auto` looks for an order.
bool is_by_chance(double n_rows, const Distances& before);

/// The order of find_order(): `amd`, or else reverse Cuthill-McKee. a: n x n, every diagonal entry stored; unknowns
/// that do not divide n are no nodes.
template <class T>
HostVector<Index> order_by(const HostCsr<T>& a, ReorderWord word, Index unknowns);

/// Whether that is taken, and what is to be said of it.
Reordering judged(ReorderWord asked, HostVector<Index> order, const Distances& before, const Distances& after);

}  // namespace stiefel::cli
