#include "bench/instruction_counts/job.hpp"

#include "stiefel/core/openmp.hpp"
#include "stiefel/core/random.hpp"
#include "stiefel/core/serial.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/openmp/compressed/rows.hpp"
#include "stiefel/spmv/openmp/kernels.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <memory>
#include <string>

namespace stiefel::bench {

namespace {

HostCsr<double> grid(Index points) {
    OpenMP host(1);
    return poisson3d<double>(host, points, points, points);
}

std::function<bool()> generate() {
    return [] { return grid(30).nnz() == 7 * 27000 - 6 * 900; };
}

/// A symmetric Matrix Market file with numbers of all lengths, the same in every run.
std::string matrix_market_text(Index n, Index entries_a_row) {
    std::string text = "%%MatrixMarket matrix coordinate real symmetric\n% numbers of all lengths\n" +
                       std::to_string(n) + " " + std::to_string(n) + " " + std::to_string(n * entries_a_row) + "\n";
    for (Index i = 0; i < n; ++i) {
        const RandomRow random(1, i);
        for (Index k = 0; k < entries_a_row; ++k) {
            const auto digits = std::to_string(random.bits(2 * k)).substr(0, 1 + static_cast<std::size_t>(k) % 17);
            text += std::to_string(i + 1) + " " + std::to_string(1 + random.below(2 * k + 1, i + 1)) + " -0." + digits +
                    (k % 5 == 0 ? "e-3\n" : "\n");
        }
    }
    return text;
}

std::function<bool()> read() {
    return [text = matrix_market_text(2000, 10)] {
        return parse_matrix<double>(text, "generated", {.threads = 1}).coo.n_entries() == 20000;
    };
}

std::function<bool()> csr_from_entries() {
    auto coo = std::make_shared<Coo<double>>(parse_matrix<double>(matrix_market_text(4000, 8), "generated").coo);
    return [coo] {
        OpenMP host(1);
        const HostCsr<double> a = csr_from_coo(host, *coo).csr;
        return a.n_rows == 4000 && a.nnz() > 32000;
    };
}

std::function<bool()> sell_from_rows() {
    auto a = std::make_shared<HostCsr<double>>(grid(24));
    return [a] {
        OpenMP host(1);
        return sell_from_csr(host, *a, 8, 1).n_nonzeros == a->nnz();
    };
}

/// Ten products of a 7-point matrix with ones: 3 at a corner, nothing inside.
template <class Multiply>
bool products(Index n, Multiply&& multiply) {
    const HostVector<double> x(n, 1.0);
    HostVector<double> y(n, 0.0);
    for (int k = 0; k < 10; ++k) multiply(x, y);
    return y[0] == 3 && y[24 * 24 * 12 + 24 * 12 + 12] == 0;
}

std::function<bool()> spmv_csr() {
    auto a = std::make_shared<HostCsr<double>>(grid(24));
    return [a] {
        Serial backend;
        return products(a->n_rows, [&](const auto& x, auto& y) { spmv(backend, *a, x, y, 1.0, 0.0); });
    };
}

std::function<bool()> spmv_sell() {
    OpenMP host(1);
    auto a = std::make_shared<HostSell<double>>(sell_from_csr(host, grid(24), 8, 1));
    return [a] {
        OpenMP backend(1);
        return products(a->n_rows, [&](const auto& x, auto& y) {
            openmp::sell_simd<double, double>(backend, *a, {.x = x.data(), .y = y.data()});
        });
    };
}

/// 24 points a line: most slices have lines that end in them, and so padding. By the instruction set of the jobs,
/// whatever the machine has.
std::function<bool()> spmv_compressed() {
    OpenMP host(1);
    auto a = std::make_shared<HostCompressedSell<double>>(compressed_sell_from_csr(host, grid(24), 1));
    return [a] {
        OpenMP backend(1);
        const auto product = compressed::SliceProducts<Baseline>::of<double, double>();
        return products(a->n_rows, [&](const auto& x, auto& y) {
            compressed::for_slices(backend, *a, [&](Index slice) {
                compressed::finish_slice(product, *a, slice, x.data(), [&](Index i, double sum) { y[i] = sum; });
            });
        });
    };
}

constexpr CountedJob jobs[] = {
    {"generate", "7-point matrix of 30^3 points", generate},
    {"read", "Matrix Market text of 20 000 entries", read},
    {"csr_from_coo", "a symmetric matrix of 32 000 entries in any order to CSR", csr_from_entries},
    {"sell_from_csr", "7-point 24^3 to SELL", sell_from_rows},
    {"spmv_csr_serial", "ten products with 7-point 24^3 in CSR, serial", spmv_csr},
    {"spmv_sell_openmp", "ten products with 7-point 24^3 in SELL, one OpenMP thread", spmv_sell},
    {"spmv_compressed_openmp", "ten products with 7-point 24^3 in compressed SELL, one OpenMP thread", spmv_compressed},
};

}  // namespace

std::span<const CountedJob> matrix_jobs() {
    return jobs;
}

}  // namespace stiefel::bench
