#pragma once

#include "stiefel/analysis/tally.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <optional>

namespace stiefel {

/// An entry of the upper triangle and its mirror image; what is not stored is 0.
struct MirroredPair {
    Index row = 0;         ///< zero-based
    Index col = 0;         ///< above row
    double value = 0;      ///< a_ij
    double mirrored = 0;   ///< a_ji
    double asymmetry = 0;  ///< |a_ij - a_ji| / sqrt(m_i m_j), m_i = max_k |a_ik|; infinite if one of the two is NaN
};

/// Asymmetry that rounding explains, in a matrix that was assembled or written down without thought of symmetry. Real
/// ones show up to 6e-14 in double; those that are not meant to be symmetric, 2e-4 and more.
template <class T>
inline constexpr double rounding_asymmetry = 1e-10;
template <>
inline constexpr double rounding_asymmetry<float> = 1e-5;

/// How symmetric a square matrix is.
struct SymmetryInfo {
    EntryTally unmirrored;  ///< stored entries a_ij without a stored a_ji, so count 0 is a symmetric pattern
    std::optional<MirroredPair> largest;  ///< the largest asymmetry, none if a_ij = a_ji throughout
    std::optional<MirroredPair> first;    ///< the first in row order beyond the tolerance; none if there is none

    bool pattern_symmetric() const { return unmirrored.count == 0; }
    bool exactly_symmetric() const { return !largest; }
    bool symmetric_within_tolerance() const { return !first; }
};

/// SymmetryInfo while it is being found, here and by others.
struct PartialSymmetry : SymmetryInfo {
    void add(const MirroredPair& pair, double tolerance);
    void merge(const SymmetryInfo& other);

private:
    void offer_largest(const MirroredPair& pair);
    void offer_first(const MirroredPair& pair);
};

/// MirroredPair::asymmetry of two entries, from the largest of the rows that they couple.
double asymmetry(double value, double mirrored, double row_max, double col_max);

/// Compares every entry with its mirror image, in parallel; small matrices, where there is a thread or two, by one. A
/// difference is judged by the rows that it couples, so small rows are not judged by large ones. Throws InvalidArgument
/// if A is not square. Cost: nnz log(longest row), about that of ten SpMVs; n doubles of memory. By one thread nnz, and
/// twice as much memory.
template <class T>
SymmetryInfo check_symmetry(OpenMP&, const HostCsr<T>& a, double tolerance = rounding_asymmetry<T>);

/// The same, bit for bit, of a matrix on a device. One wait where every entry is equal to its mirror image, else two.
template <class T>
SymmetryInfo check_symmetry(Cuda&, const DeviceCsr<T>& a, double tolerance = rounding_asymmetry<T>);

}  // namespace stiefel
