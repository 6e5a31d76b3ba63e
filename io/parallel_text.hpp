#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/io/gzip.hpp"
#include "stiefel/io/output_file.hpp"
#include "stiefel/io/turnstile.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>

namespace stiefel {

inline constexpr Size longest_number = 32;  // more than the shortest form of a double takes, and a separator

/// Writes the shortest decimals that read back as the same bits, and the separator; returns where they end.
template <class Number>
char* put_number(char* at, Number number, char separator) {
    if constexpr (std::is_floating_point_v<Number>) {
        if (std::isnan(number)) number = std::abs(number);  // its sign means nothing
    }
    at = std::to_chars(at, at + longest_number, number).ptr;
    *at = separator;
    return at + 1;
}

/// Writes head, then n entries: put_entry(char* at, Size e) writes entry e and returns its end, within `longest` bytes.
/// Pieces are formatted, and compressed each for itself, in parallel, and written in order.
template <class PutEntry>
void write_text(const std::string& path, std::string_view head, Size n, Size longest, int threads,
                PutEntry&& put_entry) {
    const Size entries_per_piece = std::max<Size>(1, (Size{1} << 21) / std::max<Size>(longest, 1));
    const bool compress = path.ends_with(".gz");
    OutputFile file(path);
    file.write(compress ? gzip_member(head) : std::string(head));
    const Size n_pieces = (n + entries_per_piece - 1) / entries_per_piece;
    const Size n_threads = std::clamp<Size>(n_pieces, 1, OpenMP(threads).threads());
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

}  // namespace stiefel
