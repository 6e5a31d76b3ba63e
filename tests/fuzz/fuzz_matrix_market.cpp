// Any bytes as an input file: nothing but a stiefel::Error may come of them, and chunks of one byte must come to the
// same end as chunks of many lines. With STIEFEL_FUZZ (preset fuzz) this is a libFuzzer program; in every build,
// replay.cpp feeds it the corpus.

#include "stiefel/core/error.hpp"
#include "stiefel/io/matrix_market.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

namespace {

using namespace stiefel;

struct Outcome {
    MatrixMarket<double> matrix;
    std::string error;
};

Outcome parse(std::span<const char> bytes, Size chunk_bytes, int threads) {
    Outcome outcome;
    try {
        outcome.matrix = parse_matrix<double>(bytes, "input", {.threads = threads, .chunk_bytes = chunk_bytes});
    } catch (const Error& error) {
        outcome.error = error.what();
    }
    return outcome;
}

template <class T>
void require_equal(const HostVector<T>& a, const HostVector<T>& b) {
    if (a.size() != b.size()) std::abort();
    if (a.size() > 0 && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())) != 0) std::abort();
}

template <class F>
void allow_errors(F&& f) {
    try {
        f();
    } catch (const Error&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span<const char> bytes(reinterpret_cast<const char*>(data), size);
    const Outcome whole = parse(bytes, 1 << 18, 1);
    const Outcome lines = parse(bytes, 1, 2);
    if (whole.error != lines.error) std::abort();
    require_equal(whole.matrix.coo.row_idx, lines.matrix.coo.row_idx);
    require_equal(whole.matrix.coo.col_idx, lines.matrix.coo.col_idx);
    require_equal(whole.matrix.coo.values, lines.matrix.coo.values);
    allow_errors([&] { parse_matrix<float>(bytes, "input", {.threads = 1}); });
    allow_errors([&] { parse_array<double>(bytes, "input", {.threads = 1}); });
    allow_errors([&] { parse_vector<double>(bytes, "input", 3, {.threads = 1}); });
    return 0;
}
