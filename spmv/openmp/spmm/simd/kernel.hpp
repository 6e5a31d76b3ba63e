#pragma once

#include "stiefel/core/instruction_sets.hpp"
#include "stiefel/spmv/kernel_list.hpp"
#include "stiefel/spmv/openmp/spmm/rows.hpp"

namespace stiefel {

// The part of SpMM that depends on the instruction set: one text, compiled once for each.

/// Products of rows of A whose sums stay in registers.
template <class Rows>
struct RowsKernel {
    using T = typename Rows::value_type;

    /// Y for the rows at first..last. `streams` lets Y = A X be written around the caches: see fills_cache_lines().
    void (*multiply)(const Rows& rows, const SpmmArguments<T>& s, bool streams, Size first, Size last) = nullptr;

    /// Whether the Gram matrix X' Y of k columns stays in registers too.
    bool (*holds_gram)(Index k) = nullptr;

    /// Y = A X for the rows at first..last, and what these rows add to gram = X' Y, k x k; only if holds_gram(s.k).
    void (*multiply_with_gram)(const Rows& rows, const SpmmArguments<T>& s, bool streams, Size first, Size last,
                               double* gram) = nullptr;
};

/// To be called only where the processor has the instruction set.
template <class InstructionSet, class Rows>
RowsKernel<Rows> rows_kernel();

/// All of an instruction set for one type. Naming them compiles them, in the file of that set.
template <class InstructionSet, class T>
struct RowsKernels {
    template <class Rows>
    using Maker = RowsKernel<Rows> (*)();
    static constexpr Maker<CsrRows<T, std::int32_t>> csr = rows_kernel<InstructionSet>;
    static constexpr Maker<CsrRows<T, std::int64_t>> long_csr = rows_kernel<InstructionSet>;
    static constexpr Maker<EllpackRows<T, EllpackLayout::row_major>> ellpack_rows = rows_kernel<InstructionSet>;
    static constexpr Maker<EllpackRows<T, EllpackLayout::column_major>> ellpack_columns = rows_kernel<InstructionSet>;
    static constexpr Maker<SellRows<T>> sell = rows_kernel<InstructionSet>;
};

/// With the widest registers of this machine.
template <class Rows>
const RowsKernel<Rows>& widest_rows_kernel() {
    static const RowsKernel<Rows> widest = [] {
        if (has_avx512()) return rows_kernel<Avx512, Rows>();
        if (has_avx2()) return rows_kernel<Avx2, Rows>();
        return rows_kernel<Baseline, Rows>();
    }();
    return widest;
}

}  // namespace stiefel
