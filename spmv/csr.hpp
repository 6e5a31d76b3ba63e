#pragma once

#include "stiefel/core/memory.hpp"
#include "stiefel/spmv/coo.hpp"

#include <limits>
#include <utility>
#include <variant>

namespace stiefel {

/// Row offsets of a compressed format: n_rows + 1 of them, 4 bytes each while the nonzeros can be counted in 31 bits,
/// 8 bytes beyond. Kernels are compiled for both; visit() hands them the array in its own type.
template <class Memory>
class RowOffsets {
public:
    RowOffsets() = default;
    explicit RowOffsets(Vector<std::int32_t, Memory> narrow) : offsets_(std::move(narrow)) {}
    explicit RowOffsets(Vector<std::int64_t, Memory> wide) : offsets_(std::move(wide)) {}

    static bool fits_narrow(Size nnz) { return nnz <= std::numeric_limits<std::int32_t>::max(); }

    /// f(const Offset* row_ptr) with Offset std::int32_t or std::int64_t.
    template <class F>
    decltype(auto) visit(F&& f) const {
        return std::visit([&](const auto& offsets) -> decltype(auto) { return f(offsets.data()); }, offsets_);
    }

    /// f(const Vector<Offset, Memory>&), for what is asked of the array and not of its elements.
    template <class F>
    decltype(auto) visit_array(F&& f) const {
        return std::visit(std::forward<F>(f), offsets_);
    }

    bool is_wide() const { return std::holds_alternative<Vector<std::int64_t, Memory>>(offsets_); }
    Size size() const {
        return std::visit([](const auto& offsets) { return offsets.size(); }, offsets_);
    }
    Size bytes() const {
        return std::visit([](const auto& offsets) { return offsets.bytes(); }, offsets_);
    }

private:
    std::variant<Vector<std::int32_t, Memory>, Vector<std::int64_t, Memory>> offsets_;
};

/// Compressed sparse rows: the entries of row i are values[k], in columns col_idx[k], row_ptr[i] <= k < row_ptr[i+1],
/// columns ascending and without duplicates within a row.
template <class T, class Memory>
struct Csr {
    using value_type = T;
    using memory = Memory;

    Index n_rows = 0;
    Index n_cols = 0;
    RowOffsets<Memory> row_ptr{};
    Vector<Index, Memory> col_idx{};
    Vector<T, Memory> values{};

    Size nnz() const { return values.size(); }
    Size bytes() const { return row_ptr.bytes() + col_idx.bytes() + values.bytes(); }
};

template <class T>
using HostCsr = Csr<T, HostMemory>;

}  // namespace stiefel
