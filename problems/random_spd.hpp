#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/problems/row_source.hpp"
#include "stiefel/spmv/csr.hpp"

#include <cstdint>

namespace stiefel {

struct RandomSpdOptions {
    double degree = 8;       ///< mean off-diagonal entries of a row
    double shift = 0.01;     ///< how much the diagonal exceeds the sum of the absolutes beside it, > 0
    std::uint64_t seed = 1;  ///< of pattern and values
};

/// A sparse random symmetric positive definite matrix: the pattern of a random graph, off-diagonal entries uniform in
/// (-1, 1), and the diagonal so that every row is strictly dominant by `shift`. The condition number is at most
/// 1 + 2 s / shift, s the largest sum of absolutes beside a diagonal (about degree / 2 in the mean); it is of that
/// order where the graph has a small component, as it almost surely has for n >> e^degree. Throws InvalidArgument if n
/// is less than 1, the degree negative or the shift not positive.
template <class T>
HostCsr<T> random_spd(OpenMP&, Index n, const RandomSpdOptions& options = {});

/// The same, of any rows.
RowSource random_spd_source(Index n, const RandomSpdOptions& options = {});

}  // namespace stiefel
