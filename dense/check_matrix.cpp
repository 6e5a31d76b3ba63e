#include "stiefel/dense/check_matrix.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace stiefel {

namespace {

Size elements_spanned(const MatrixShape& a) {
    return a.n_rows == 0 || a.n_cols == 0 ? 0 : (a.n_rows - 1) * a.ld + a.n_cols;
}

std::uintptr_t address(const MatrixShape& a) {
    return reinterpret_cast<std::uintptr_t>(a.data);
}

bool ranges_meet(const MatrixShape& a, const MatrixShape& b) {
    if (elements_spanned(a) == 0 || elements_spanned(b) == 0) return false;
    const auto bytes = [](const MatrixShape& m) {
        return static_cast<std::uintptr_t>(elements_spanned(m) * m.element_bytes);
    };
    return address(a) < address(b) + bytes(b) && address(b) < address(a) + bytes(a);
}

}  // namespace

void check_matrix(std::string_view function, std::string_view name, const MatrixShape& a) {
    const auto fail = [&](std::string_view what) {
        throw InvalidArgument(fmt::format("{}: {}: {}", function, name, what));
    };
    if (a.n_rows < 0 || a.n_cols < 0) fail(fmt::format("the size is {} x {}, negative", a.n_rows, a.n_cols));
    if (a.ld < 1 || a.ld < a.n_cols) {
        fail(fmt::format("the leading dimension is {}; it must be at least 1 and the number of columns, {}", a.ld,
                         a.n_cols));
    }
    Size elements = 0;
    Size bytes = 0;
    if (__builtin_mul_overflow(a.n_rows, a.ld, &elements) ||
        __builtin_mul_overflow(elements, a.element_bytes, &bytes)) {
        fail(fmt::format("{} rows with leading dimension {} exceed 2^63 bytes", a.n_rows, a.ld));
    }
    if (a.data == nullptr && elements_spanned(a) > 0) fail("the data pointer is null");
}

bool overlap(const MatrixShape& a, const MatrixShape& b) {
    if (!ranges_meet(a, b)) return false;
    if (address(a) > address(b)) return overlap(b, a);
    const auto distance = static_cast<Size>(address(b) - address(a));
    if (a.ld != b.ld || a.element_bytes != b.element_bytes || distance % a.element_bytes != 0) return true;

    // On a's grid of ld columns b begins at this place; past column ld it goes on in the next row.
    const Size row = distance / a.element_bytes / a.ld;
    const Size col = distance / a.element_bytes % a.ld;
    if (col < a.n_cols && row < a.n_rows) return true;
    return col + b.n_cols > a.ld && row + 1 < a.n_rows;
}

void check_apart(std::string_view function, std::string_view a_name, const MatrixShape& a, std::string_view b_name,
                 const MatrixShape& b) {
    if (overlap(a, b)) throw InvalidArgument(fmt::format("{}: {} and {} overlap in memory", function, a_name, b_name));
}

void check_equal(std::string_view function, std::string_view what, std::string_view a_name, Size a,
                 std::string_view b_name, Size b) {
    if (a != b) throw InvalidArgument(fmt::format("{}: {} ({}: {}, {}: {})", function, what, a_name, a, b_name, b));
}

}  // namespace stiefel
