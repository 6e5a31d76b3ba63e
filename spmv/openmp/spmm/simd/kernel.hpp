#pragma once

#include "stiefel/spmv/kernel_list.hpp"
#include "stiefel/spmv/openmp/spmm/rows.hpp"

namespace stiefel {

// The part of SpMM that depends on the instruction set: one text, compiled once for each.
struct Baseline {};  ///< 16-byte registers
struct Avx2 {};      ///< 32
struct Avx512 {};    ///< 64

/// Y for the rows at first..last, with sums in registers of the instruction set; to be called only where the processor
/// has it.
template <class InstructionSet, class Rows>
void multiply_in_registers(const Rows& rows, const SpmmArguments<typename Rows::value_type>& s, Size first, Size last);

}  // namespace stiefel
