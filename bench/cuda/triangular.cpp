#include "bench/cuda/commands.hpp"
#include "bench/cuda/setting.hpp"
#include "bench/cuda/spsv_reference.hpp"
#include "bench/cuda/timing.hpp"
#include "bench/listing.hpp"
#include "bench/operands.hpp"
#include "bench/setting.hpp"

#include "stiefel/core/timing.hpp"
#include "stiefel/dense/vector_operations.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/preconditioner/cholesky/incomplete_factor.hpp"
#include "stiefel/preconditioner/triangular/device_solve.hpp"
#include "stiefel/preconditioner/triangular/level_solve.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

// z = L^-T L^-1 r with the factor of IC(0), both triangles together: medians of events.

namespace stiefel::bench {

namespace {

struct TriangularSetting {
    bool single = false;
    std::string file = {};  ///< in place of a problem
    Setting problem = {};
};

TriangularSetting parse(std::vector<std::string> arguments) {
    TriangularSetting setting;
    if (const auto option = std::ranges::find(arguments, "--type"); option != arguments.end()) {
        const std::string value = option + 1 == arguments.end() ? "nothing" : option[1];
        if (value != "double" && value != "single") {
            throw InvalidArgument("--type must be double or single, not '" + value + "'");
        }
        setting.single = value == "single";
        arguments.erase(option, option + 2);
    }
    if (arguments.size() == 1 && std::filesystem::is_regular_file(arguments[0])) {
        setting.file = arguments[0];
    } else {
        setting.problem = parse_setting(arguments, {.problem = "poisson3d", .sizes = {"100"}});
    }
    return setting;
}

/// Rows of L' are columns of L.
template <class T>
HostCsr<T> upper_csr(const cholesky::IncompleteFactor<T>& l) {
    HostCsr<T> a{.n_rows = l.n, .n_cols = l.n};
    require(l.nonzeros() <= std::numeric_limits<std::int32_t>::max(),
            "triangular: the factor has 2^31 nonzeros or more");
    HostVector<std::int32_t> offsets(static_cast<Size>(l.start.size()));
    std::ranges::transform(l.start, offsets.begin(), [](Size k) { return static_cast<std::int32_t>(k); });
    a.row_ptr = RowOffsets<HostMemory>(std::move(offsets));
    a.col_idx = HostVector<Index>(l.nonzeros());
    a.values = HostVector<T>(l.nonzeros());
    std::ranges::copy(l.rows, a.col_idx.begin());
    std::ranges::copy(l.values, a.values.begin());
    return a;
}

/// Of calls one after another on the stream, for what no graph can record.
template <class F>
double median_stream_seconds(Cuda& backend, F&& call) {
    constexpr int batch = 10;
    std::vector<double> samples(11);
    for (double& s : samples) {
        CudaEvent start, stop;
        start.record(backend);
        for (int i = 0; i < batch; ++i) call();
        stop.record(backend);
        s = stop.seconds_since(start) / batch;
    }
    std::ranges::nth_element(samples, samples.begin() + 5);
    return samples[5];
}

template <class T>
class TriangularBench {
public:
    TriangularBench(Cuda& backend, const HostCsr<T>& a)
        : backend_(backend),
          factor_(cholesky::incomplete_factor(a, {})),
          r_(numbers<T>(backend, a.n_rows)),
          z_(backend, a.n_rows),
          middle_(backend, a.n_rows),
          expected_(a.n_rows) {
        const triangular::LevelSolve<T> host(triangular::in_levels(factor_.columns()), 1);
        HostVector<T> r(a.n_rows);
        download(backend, r_, r);
        host.run(as_matrix(std::as_const(r), a.n_rows, 1), as_matrix(expected_, a.n_rows, 1));
        levels_ = host.n_levels();
    }

    /// Returns how many results are wrong.
    int run() {
        const Index n = factor_.n;
        fmt::print("IC(0): {} rows, {} nonzeros in L, {} levels\n", n, factor_.nonzeros(), levels_);
        const double reference = run_references();
        const auto triangles = triangular::in_levels(factor_.columns());
        const triangular::DeviceSolve<T> chosen(backend_, triangles);
        for (const auto& kernel : triangular::triangular_kernels<T>()) {
            { const triangular::DeviceSolve<T> first(backend_, triangles, &kernel); }  // loads what it needs
            backend_.synchronize();
            const Stopwatch set_up;
            const triangular::DeviceSolve<T> solve(backend_, triangles, &kernel);
            backend_.synchronize();
            const double set_up_seconds = set_up.seconds();
            const auto call = [&] { solve.run(backend_, as_matrix(std::as_const(r_), n, 1), as_matrix(z_, n, 1)); };
            print(std::string(kernel.name), median_seconds(backend_, call), reference,
                  fmt::format("set up {:.2f} ms{}", 1e3 * set_up_seconds,
                              kernel.name == chosen.kernel().name ? "  <- taken" : ""));
        }
        return wrong_;
    }

private:
    /// The faster one's seconds.
    double run_references() {
        using Triangle = CusparseSpsv::Triangle;
        const HostCsr<T> upper_here = upper_csr(factor_);
        OpenMP host;
        const DeviceCsr<T> upper = to_device(backend_, upper_here);
        const DeviceCsr<T> lower = to_device(backend_, transpose(host, upper_here));
        CusparseSpsv forward(backend_, Triangle::lower, lower, r_, middle_);
        double best = std::numeric_limits<double>::infinity();
        const auto time_with = [&](const std::string& name, CusparseSpsv& backward) {
            const auto call = [&] {
                forward.run();
                backward.run();
            };
            double seconds = 0;
            std::string note;
            try {
                seconds = median_seconds(backend_, call);
            } catch (const Error&) {
                seconds = median_stream_seconds(backend_, call);
                note = ", outside of a graph";
            }
            best = std::min(best, seconds);
            print(name, seconds, seconds,
                  fmt::format("analysis {:.2f} ms{}", 1e3 * (forward.analysis_seconds() + backward.analysis_seconds()),
                              note));
        };
        CusparseSpsv of_upper(backend_, Triangle::upper, upper, middle_, z_);
        time_with("cusparse spsv, L and L'", of_upper);
        CusparseSpsv of_transposed(backend_, Triangle::transposed_lower, lower, middle_, z_);
        time_with("cusparse spsv, L twice", of_transposed);
        return best;
    }

    /// Of the last run; `note` goes behind it.
    void print(const std::string& name, double seconds, double reference, const std::string& note) {
        HostVector<T> z(z_.size());
        download(backend_, z_, z);
        double largest = 0, off = 0;
        for (Size i = 0; i < z.size(); ++i) {
            const double expected = static_cast<double>(expected_[i]);
            const double error = std::abs(static_cast<double>(z[i]) - expected);
            largest = std::max(largest, std::abs(expected));
            if (!(error <= off)) off = error;
        }
        const double deviation = off / largest;
        const bool is_wrong = !(deviation <= std::sqrt(std::numeric_limits<T>::epsilon()));
        wrong_ += is_wrong;
        fmt::print("  {:<24} {:10.1f} us  {:6.3f} us a level  x {:6.2f}  off by {:.1e}{}  {}\n", name, 1e6 * seconds,
                   1e6 * seconds / (2.0 * levels_), reference / seconds, deviation, is_wrong ? " WRONG" : "", note);
        std::fflush(stdout);
        fill(backend_, std::numeric_limits<T>::quiet_NaN(), z_);
    }

    Cuda& backend_;
    cholesky::IncompleteFactor<T> factor_;
    DeviceVector<T> r_, z_, middle_;
    HostVector<T> expected_;
    Index levels_ = 0;
    int wrong_ = 0;
};

template <class T>
int bench(HostCsr<double> a) {
    Cuda backend;
    fmt::print("{}, {}\n", backend.device().name, std::is_same_v<T, double> ? "double" : "single");
    return TriangularBench<T>(backend, converted<T>(std::move(a))).run();
}

}  // namespace

int run_cuda_triangular(const std::vector<std::string>& arguments) {
    const TriangularSetting setting = parse(arguments);
    OpenMP host;
    HostCsr<double> a = setting.file.empty() ? make_matrix(host, setting.problem)
                                             : csr_from_coo(host, read_matrix<double>(setting.file).coo).csr;
    const int wrong = setting.single ? bench<float>(std::move(a)) : bench<double>(std::move(a));
    if (wrong > 0) fmt::print(stderr, "{} results are wrong\n", wrong);
    return wrong > 0 ? 1 : 0;
}

void list_cuda_triangular(const Cuda& backend) {
    for (const auto& kernel : triangular::triangular_kernels<double>()) print_rung(backend.name, kernel);
}

}  // namespace stiefel::bench
