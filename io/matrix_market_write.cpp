#include "stiefel/core/error.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/io/parallel_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace stiefel {

namespace {

std::string_view banner_word(Symmetry symmetry) {
    switch (symmetry) {
        case Symmetry::general:
            return "general";
        case Symmetry::symmetric:
            return "symmetric";
        case Symmetry::skew_symmetric:
            return "skew-symmetric";
    }
    return {};
}

std::string head_of(std::string_view format, std::string_view symmetry, const WriteOptions& options) {
    std::string head = fmt::format("%%MatrixMarket matrix {} real {}\n", format, symmetry);
    for (const std::string& comment : options.comments) {
        require(comment.find('\n') == std::string::npos, "write: a comment must be one line");
        head += fmt::format("% {}\n", comment);
    }
    return head;
}

template <class T>
void check_value(T value, Size entry, const WriteOptions& options) {
    if (std::isfinite(value) || options.allow_not_finite) return;
    throw InvalidArgument(
        fmt::format("write: entry {} is {}; a Matrix Market file holds finite numbers only", entry + 1, value));
}

}  // namespace

template <class T>
void write_matrix(const std::string& path, const Coo<T>& matrix, const WriteOptions& options) {
    const Size n = matrix.n_entries();
    require(matrix.row_idx.size() == n && matrix.col_idx.size() == n, "write_matrix: the arrays differ in length");
    const std::string head = head_of("coordinate", banner_word(matrix.symmetry), options) +
                             fmt::format("{} {} {}\n", matrix.n_rows, matrix.n_cols, n);
    write_text(path, head, n, 3 * longest_number, options.threads, [&](char* at, Size e) {
        check_value(matrix.values[e], e, options);
        at = put_number(at, matrix.row_idx[e] + 1, ' ');
        at = put_number(at, matrix.col_idx[e] + 1, ' ');
        return put_number(at, matrix.values[e], '\n');
    });
}

template <class T>
void write_array(const std::string& path, Index n_rows, Index n_cols, std::span<const T> values,
                 const WriteOptions& options) {
    const auto n = static_cast<Size>(values.size());
    require(n_rows >= 0 && n_cols >= 0 && n == Size{n_rows} * n_cols,
            "write_array: values must hold n_rows n_cols numbers");
    const std::string head = head_of("array", "general", options) + fmt::format("{} {}\n", n_rows, n_cols);
    write_text(path, head, n, longest_number, options.threads, [&](char* at, Size e) {
        const T value = values[static_cast<std::size_t>(e)];
        check_value(value, e, options);
        return put_number(at, value, '\n');
    });
}

template void write_matrix(const std::string&, const Coo<double>&, const WriteOptions&);
template void write_matrix(const std::string&, const Coo<float>&, const WriteOptions&);
template void write_array(const std::string&, Index, Index, std::span<const double>, const WriteOptions&);
template void write_array(const std::string&, Index, Index, std::span<const float>, const WriteOptions&);

}  // namespace stiefel
