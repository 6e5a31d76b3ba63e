#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace stiefel::bench {

/// hollow: without a diagonal, as graphs without loops are.
enum class StandInSymmetry { general, symmetric, hollow_symmetric };

/// A matrix of the SuiteSparse collection (Davis and Hu 2011), described as far as a product with it depends on it.
struct StandIn {
    std::string_view group;
    std::string_view name;
    Index rows = 0;  ///< and columns
    Size nonzeros = 0;
    Size zeros = 0;  ///< entries of its file that are zero; formats hold them as well
    StandInSymmetry symmetry = StandInSymmetry::general;
    Index shortest = 0;  ///< row, in entries
    Index longest = 0;
    double deviation = 0;  ///< standard deviation of the rows' lengths
    Index run = 1;         ///< entries that stand side by side, as the unknowns of a node do
    Index reach = 0;       ///< how far from the diagonal columns lie

    Size entries() const { return nonzeros + zeros; }
    bool is_symmetric() const { return symmetry != StandInSymmetry::general; }
};

/// The thirty matrices that courses and theses on sparse products measure with. Of cage4, mhda416, olm1000, west2021,
/// bcsstk17, mhd4800a and af23560 rows, nonzeros and row statistics were compared with the files; the others' sizes and
/// symmetry are the collection's as far as memory goes: bench/fetch_suitesparse names one that differs. Row statistics
/// of adder_dcop_32 and cavity10 are those of files of the same families (adder_dcop_05, cavity14). All others are
/// approximate: near what is published of cant, cop20k_A, mac_econ_fwd500, webbase-1M, dc1, PR02R, amazon0302 and
/// roadNet-PA, estimates of the rest. So are run and reach of all.
std::span<const StandIn> stand_ins();

/// Throws InvalidArgument that names those there are.
const StandIn& find_stand_in(std::string_view name);

/// A matrix with these rows, entries, zeros and symmetry exactly, and the row statistics nearly: rows of a general one
/// have them up to rounding, those of a symmetric one are longer or shorter where the band ends. Lengths are spread as
/// Kumaraswamy's distribution with this mean and deviation; a row has its columns in runs, evenly over its reach.
/// Values are uniform in (-1, 1). The same in every run, by numbers that are drawn from the name. It is not positive
/// definite, and nothing of the spectrum is alike. Memory: 28 bytes an entry at most, of which 12 stay.
HostCsr<double> make_stand_in(OpenMP& backend, const StandIn& matrix);

}  // namespace stiefel::bench
