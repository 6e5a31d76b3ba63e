#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel::amg {

/// Whether GPUs gain by sharing the finest level of a cycle rather than each taking it whole. Its bytes are read in the
/// p-th part of the time: of an entry four times 4 bytes, of a row some 80, of vectors and transfers (3.5e12 bytes a
/// second, H200). Five exchanges are waited for that one which brings the right-hand side whole would do without: 7 us
/// each over NVLink, 50 us by way of hosts. With two GPUs that is from 1.3 million rows of a 7-point stencil on.
/// Coarse levels are always taken whole: they have an eighth of the rows or fewer, so sharing them saves less than
/// their exchanges take, and each GPU sets them up by itself in a few milliseconds.
constexpr bool gains_by_sharing(Size n_rows, Size nnz, int n_ranks, bool by_hosts) {
    constexpr double bytes_a_second = 3.5e12, exchanges = 5;
    const double of_exchange = by_hosts ? 50e-6 : 7e-6;
    const double bytes = 16.0 * static_cast<double>(nnz) + 80.0 * static_cast<double>(n_rows);
    return bytes / bytes_a_second * (1 - 1.0 / n_ranks) > exchanges * of_exchange;
}

}  // namespace stiefel::amg
