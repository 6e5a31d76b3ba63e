#pragma once

#include "stiefel/core/instruction_sets.hpp"
#include "stiefel/spmv/compressed_sell.hpp"

#include <cstdint>

namespace stiefel::compressed {

// The part of a product with CompressedSell that depends on the instruction set: one text, compiled once for each.

/// What the product of a slice reads of the matrix.
template <class Stored>
struct SliceEntries {
    const Stored* values;
    const Index* base;
    const std::uint16_t* distances;
    Size n_groups;
    SliceColumns columns;
    bool padded;
};

/// sums[lane] = (A x) of the 32 rows of a slice, those of empty slots too. x: as for with_columns().
template <class Stored, class T>
using SliceProduct = void (*)(const SliceEntries<Stored>& slice, const T* x, T* sums);

/// All of an instruction set; to be called only where the processor has it. Naming them compiles them, in the file of
/// that set.
template <class InstructionSet>
struct SliceProducts {
    template <class Stored, class T>
    static SliceProduct<Stored, T> of();
};

/// With the widest registers of this machine.
template <class Stored, class T>
SliceProduct<Stored, T> widest_slice_product() {
    static const auto widest = [] {
        if (has_avx512()) return SliceProducts<Avx512>::of<Stored, T>();
        if (has_avx2()) return SliceProducts<Avx2>::of<Stored, T>();
        return SliceProducts<Baseline>::of<Stored, T>();
    }();
    return widest;
}

}  // namespace stiefel::compressed
