#pragma once

#include "stiefel/preconditioner/amg/slice_diagonals.hpp"
#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/spmv/operator.hpp"

#include <optional>
#include <span>
#include <vector>

namespace stiefel::amg {

/// A diagonal matrix: these numbers, or one over each; the identity where there are none.
struct DiagonalScale {
    const DeviceVector<double>* numbers = nullptr;
    bool inverted = false;
};

/// left A right, as a cycle is to multiply it.
struct ScaledMatrix {
    const DeviceCsr<double>* a;
    DiagonalScale left;
    DiagonalScale right;
    std::optional<Index> longest_row = std::nullopt;  ///< where it is known
    DeviceCsr<double>* spare = nullptr;  ///< a, where it is not needed any more: what stays as it is takes its memory
    bool stays_csr = false;              ///< of whatever size: few products will be with it
};

/// A matrix of a cycle.
template <class S>
struct CycleOperator {
    SpmvOperator<Cuda, S> a;
    SliceDiagonals<Cuda> diagonals;  ///< of the slices of SELL, where they are known
};

/// Rounded to S and in the format that suits the lengths of its rows, under a kernel that suits its size: nothing is
/// measured. Several at once, since the host waits for the sizes of all together; of what has less than 65,536 rows or
/// stays CSR, and whose longest rows are known, it does not wait.
template <class S>
std::vector<CycleOperator<S>> scaled_operators(Cuda&, std::span<const ScaledMatrix>);

/// numbers, rounded to S.
template <class S>
DeviceVector<S> rounded(Cuda&, const DeviceVector<double>& numbers);

/// A with its entries in double precision.
DeviceCsr<double> in_double(Cuda&, const DeviceCsr<float>& a);
inline const DeviceCsr<double>& in_double(Cuda&, const DeviceCsr<double>& a) {
    return a;
}

}  // namespace stiefel::amg
