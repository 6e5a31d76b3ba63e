#include "bench/read.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/spmv/convert.hpp"

#include <fmt/format.h>

#include <charconv>

namespace stiefel::bench {

namespace {

int number_argument(const std::vector<std::string>& arguments, std::size_t i, int otherwise) {
    if (i >= arguments.size()) return otherwise;
    const std::string& text = arguments[i];
    int value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || rest != text.data() + text.size() || value < 0) {
        throw InvalidArgument(fmt::format("expected a number, found '{}'", text));
    }
    return value;
}

/// Reads once and prints the times as a line of JSON.
void read_once(const std::string& path, int threads) {
    OpenMP backend(threads);
    Stopwatch watch;
    const MatrixMarket<double> matrix = read_matrix<double>(path, {.threads = backend.threads()});
    const double parse = watch.restart();
    const CsrFromCoo<double> converted = csr_from_coo(backend, matrix.coo);
    const double convert = watch.seconds();
    fmt::print("{{\"threads\": {}, \"rows\": {}, \"nnz\": {}, \"parse_seconds\": {:.6f}, \"csr_seconds\": {:.6f}}}\n",
               backend.threads(), converted.csr.n_rows, converted.csr.nnz(), parse, convert);
}

}  // namespace

int run_read(const std::vector<std::string>& arguments) {
    if (arguments.empty() || arguments.size() > 3) throw InvalidArgument("expected FILE [THREADS [REPETITIONS]]");
    const int threads = number_argument(arguments, 1, 0);
    const int repetitions = number_argument(arguments, 2, 1);
    for (int i = 0; i < repetitions; ++i) read_once(arguments[0], threads);
    return 0;
}

}  // namespace stiefel::bench
