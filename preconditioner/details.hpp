#pragma once

#include "stiefel/core/types.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stiefel {

/// What a preconditioner has to tell of itself, for reports. What it has not got is empty or 0.
struct PreconditionerDetails {
    /// One matrix of a hierarchy.
    struct Level {
        Index rows = 0;
        Size nonzeros = 0;
        Size bytes = 0;      ///< of all that is kept for it
        int visits = 1;      ///< in a cycle
        double seconds = 0;  ///< of the set-up, until it was complete
    };
    struct Step {
        const char* name = "";
        double seconds = 0;
    };

    /// What multigrid was made of, chosen or found: names are those of its lists.
    struct Multigrid {
        std::string_view coarsening = {};  ///< to the second level; none where there is one level only
        std::string_view smoother = {};
        std::string_view cycle = {};
        std::string_view precision = {};        ///< of the hierarchy: "16-bit and single", "single", "double"
        std::optional<double> trial = {};       ///< <x, A x> / <x, x> that a trial of it found, A with a unit diagonal
        Index block_size = 1;                   ///< unknowns at each node
        std::string_view near_null_space = {};  ///< "constant", "a constant a component", "rigid-body modes"
    };

    /// What a factorisation led to.
    struct Factorisation {
        std::string_view ordering = {};
        Index supernodes = 0;  ///< 0 where there are none
        Index level_sets = 0;  ///< of a substitution; 0 where it does not go by levels
        Size nonzeros = 0;     ///< of L, with the zeros that supernodes hold
        double flops = 0;      ///< that computing it took; 0 where they were not counted
        double shift = 0;      ///< of diag(A), added to A so that there is a factor; 0 where there is one of A
        Index vertices = 0;  ///< of the graph that was ordered, rows that cannot be told apart being one; 0 if none was
        Size couplings = 0;  ///< of them, each counted from both sides
    };

    /// What a factorised sparse approximate inverse holds.
    struct SparseInverse {
        Size power = 1;         ///< of A, whose pattern G's was taken from
        Size steps = 0;         ///< in which G's rows have grown instead, where above 0
        Size nonzeros = 0;      ///< of G
        Index jacobi_rows = 0;  ///< of G that have a diagonal entry alone, for want of a definite system
    };

    /// Which rows block Jacobi takes together.
    struct Blocks {
        bool are_found = false;  ///< in A's pattern; else as given
        Index number = 0;
        Index rows = 0;  ///< of all
        Index largest = 0;
        Index jacobi_blocks = 0;  ///< whose rows have the diagonal alone, as they are not positive definite

        double mean() const { return number > 0 ? static_cast<double>(rows) / number : 0; }
    };

    std::optional<Multigrid> multigrid = {};
    std::optional<Factorisation> factorisation = {};
    std::optional<SparseInverse> sparse_inverse = {};
    std::optional<Blocks> blocks = {};
    std::vector<Level> levels = {};  ///< from the finest to the coarsest
    std::vector<Step> setup = {};    ///< its steps, of all levels together
    double seconds = 0;              ///< of the whole set-up
    Size bytes = 0;                  ///< of all that it holds

    bool empty() const { return levels.empty() && setup.empty(); }

    /// Nonzeros, and rows, of all levels over those of the finest; 1 where there are no levels.
    double operator_complexity() const;
    double grid_complexity() const;
};

/// "4 levels, operator complexity 1.56, set up in 0.71 s"; of a factorisation "4.3e+05 nonzeros in L, set up in
/// 0.004 s", of a sparse approximate inverse the same of G; "1.25e+03 blocks, set up in 0.002 s"; empty where there is
/// none of these.
std::string summary(const PreconditionerDetails& details);

}  // namespace stiefel
