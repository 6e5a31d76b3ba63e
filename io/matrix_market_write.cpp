#include "stiefel/core/openmp.hpp"
#include "stiefel/io/gzip.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/io/output_file.hpp"
#include "stiefel/io/turnstile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <exception>
#include <string_view>
#include <type_traits>

namespace stiefel {

namespace {

constexpr Size entries_per_piece = 1 << 16;
constexpr Size longest_number = 32;  // more than a 32-bit index or the shortest form of a double takes, and a separator

template <class Number>
char* put(char* at, Number number, char separator) {
    if constexpr (std::is_floating_point_v<Number>) {
        if (std::isnan(number)) number = std::abs(number);  // its sign means nothing
    }
    at = std::to_chars(at, at + longest_number, number).ptr;
    *at = separator;
    return at + 1;
}

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

/// Writes head, then n entries: put_entry(char* at, Size e) writes entry e and returns its end, within `longest` bytes.
/// Pieces are formatted, and compressed each for itself, in parallel, and written in order.
template <class PutEntry>
void write_text(const std::string& path, std::string_view head, Size n, Size longest, const WriteOptions& options,
                PutEntry&& put_entry) {
    const bool compress = path.ends_with(".gz");
    OutputFile file(path);
    file.write(compress ? gzip_member(head) : std::string(head));
    const Size n_pieces = (n + entries_per_piece - 1) / entries_per_piece;
    const Size n_threads = std::clamp<Size>(n_pieces, 1, OpenMP(options.threads).threads());
    Turnstile turnstile;
    std::exception_ptr failure;  // touched only by the holder of the turn
#pragma omp parallel num_threads(static_cast <int>(n_threads))
    {
        std::string text;
        for (Size k; (k = turnstile.take()) < n_pieces;) {
            std::exception_ptr problem;
            try {
                const Size begin = k * entries_per_piece;
                const Size end = std::min(n, begin + entries_per_piece);
                text.resize(static_cast<std::size_t>(longest * (end - begin)));
                char* at = text.data();
                for (Size e = begin; e < end; ++e) at = put_entry(at, e);
                text.resize(static_cast<std::size_t>(at - text.data()));
                if (compress) text = gzip_member(text);
            } catch (...) {
                problem = std::current_exception();
            }
            turnstile.pass(k, [&] {
                if (failure) return;
                if (!problem) {
                    try {
                        file.write(text);
                    } catch (...) {
                        problem = std::current_exception();
                    }
                }
                failure = problem;
            });
        }
    }
    if (failure) std::rethrow_exception(failure);
    file.commit();
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
    write_text(path, head, n, 3 * longest_number, options, [&](char* at, Size e) {
        check_value(matrix.values[e], e, options);
        at = put(at, matrix.row_idx[e] + 1, ' ');
        at = put(at, matrix.col_idx[e] + 1, ' ');
        return put(at, matrix.values[e], '\n');
    });
}

template <class T>
void write_array(const std::string& path, Index n_rows, Index n_cols, std::span<const T> values,
                 const WriteOptions& options) {
    const auto n = static_cast<Size>(values.size());
    require(n_rows >= 0 && n_cols >= 0 && n == Size{n_rows} * n_cols,
            "write_array: values must hold n_rows n_cols numbers");
    const std::string head = head_of("array", "general", options) + fmt::format("{} {}\n", n_rows, n_cols);
    write_text(path, head, n, longest_number, options, [&](char* at, Size e) {
        const T value = values[static_cast<std::size_t>(e)];
        check_value(value, e, options);
        return put(at, value, '\n');
    });
}

template void write_matrix(const std::string&, const Coo<double>&, const WriteOptions&);
template void write_matrix(const std::string&, const Coo<float>&, const WriteOptions&);
template void write_array(const std::string&, Index, Index, std::span<const double>, const WriteOptions&);
template void write_array(const std::string&, Index, Index, std::span<const float>, const WriteOptions&);

}  // namespace stiefel
