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

/// By the graph of A, rows that cannot be told apart staying together, so that the unknowns of a node remain a block.
/// `auto` takes reverse Cuthill-McKee where x is larger than a cache and rows are numbered as if by chance, if that
/// brings them together.
template <class T>
Reordering find_order(const HostCsr<T>& a, ReorderWord asked);

}  // namespace stiefel::cli
