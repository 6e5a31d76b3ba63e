#pragma once

#include "stiefel/spmv/operator.hpp"
#include "stiefel/spmv/row_statistics.hpp"

#include <string>

namespace stiefel {

/// What the user asks for. "auto" leaves it to choose_operator.
struct FormatChoice {
    std::string format = "auto";  ///< auto, csr, ellpack, sell
    std::string kernel = "auto";  ///< auto, or the name of a listed kernel
    Index columns = 1;            ///< of the panels that it will multiply; more than one: formats are timed with SpMM
};

template <class B, class T>
struct ChosenOperator {
    SpmvOperator<B, T> a;
    std::string why;  ///< one sentence for reports: what was measured, or why nothing was
};

/// SELL as choose_operator makes it: slices of 32 rows, a warp's width and four vectors' of AVX-512, sorted within 256
/// rows where row lengths differ by more than a quarter of their mean.
inline constexpr Index sell_slice_height = 32;
Index sell_sorting_window(const RowStatistics& rows);

/// Puts a matrix into the format and under the kernel that multiply fastest on this backend, here and now.
/// Candidates are the listed kernels of CSR and, where a copy with at most a quarter of padding can be made, of SELL;
/// they are timed on the matrix itself, three products each (on CUDA medians of batches that take turns). ELLPACK is
/// taken on request only on the host, where SELL runs the same inner loop with never more padding; on CUDA lanes of a
/// warp may share its rows, and it is tried as SELL is. On the host, below 1 MiB of CSR, nothing is measured and the
/// default kernel of CSR is taken. What `choice` names is taken as it says. `rows` are the statistics of A. Throws
/// InvalidArgument for names that there are not, with those there are, and where padding exceeds its limit.
/// With choice.columns > 1 the default SpMM rung of each format is timed on such a panel instead, and the kernel is the
/// default of the format that multiplies panels fastest.
/// Memory: at most two copies of A beside it while measuring; those not chosen are freed.
template <class B, class T>
ChosenOperator<B, T> choose_operator(B& backend, Csr<T, typename B::memory> a, const RowStatistics& rows,
                                     const FormatChoice& choice = {});

}  // namespace stiefel
