#include "bench/cuda/commands.hpp"
#include "bench/cuda/setting.hpp"
#include "bench/cuda/spsv_both_triangles.hpp"
#include "bench/cuda/timing.hpp"
#include "bench/listing.hpp"
#include "bench/setting.hpp"
#include "bench/triangular_system.hpp"

#include "stiefel/core/timing.hpp"
#include "stiefel/dense/vector_operations.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/preconditioner/triangular/device_solve.hpp"
#include "stiefel/preconditioner/triangular/triangle_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

// z = L^-T L^-1 r with the factor of IC(0), both triangles together: medians of events. "Off by" is the residual beside
// |L| |L'| |z|.

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

template <class T>
class TriangularBench {
public:
    TriangularBench(Cuda& backend, const HostCsr<T>& a)
        : backend_(backend), system_(a), r_(backend, a.n_rows), z_(backend, a.n_rows) {
        upload(backend, system_.r(), r_);
    }

    /// Returns how many results are wrong.
    int run() {
        const auto triangles = system_.triangles();
        levels_ = triangles.lower.n_levels();
        fmt::print("IC(0): {} rows, {} nonzeros in L, {} levels\n", system_.n(), triangles.nonzeros(), levels_);
        const double reference = run_references();
        const double growth = triangular::shape_of(triangles).growth;
        const triangular::DeviceSolve<T> chosen(backend_, triangles);
        for (const auto& kernel : triangular::triangular_kernels<T>()) {
            { const triangular::DeviceSolve<T> first(backend_, triangles, &kernel); }  // loads what it needs
            backend_.synchronize();
            const Stopwatch set_up;
            const triangular::DeviceSolve<T> solve(backend_, triangles, &kernel);
            backend_.synchronize();
            const double set_up_seconds = set_up.seconds();
            const Index n = system_.n();
            const auto call = [&] { solve.run(backend_, as_matrix(std::as_const(r_), n, 1), as_matrix(z_, n, 1)); };
            print(std::string(kernel.name), median_seconds(backend_, call), reference,
                  fmt::format("set up {:.2f} ms{}", 1e3 * set_up_seconds,
                              kernel.name == chosen.kernel().name ? "  <- taken" : ""),
                  std::pow(kernel.expansion.error_growth(growth), 2));
        }
        return wrong_;
    }

private:
    /// The faster one's seconds.
    double run_references() {
        using Reference = CusparseBothTriangles<T>;
        double best = std::numeric_limits<double>::infinity();
        for (const auto stored : Reference::all) {
            Reference solve(backend_, system_.factor(), stored, r_, z_);
            const auto call = [&] { solve.run(); };
            double seconds = 0;
            std::string note;
            try {
                seconds = median_seconds(backend_, call);
            } catch (const Error&) {
                seconds = median_sample([&] { return stream_seconds(backend_, call); });
                note = ", outside of a graph";
            }
            best = std::min(best, seconds);
            print(Reference::name(stored), seconds, seconds,
                  fmt::format("analysis {:.2f} ms{}", 1e3 * solve.analysis_seconds(), note));
        }
        return best;
    }

    /// Of the last run; `note` goes behind it.
    void print(const std::string& name, double seconds, double reference, const std::string& note, double grown = 1) {
        HostVector<T> z(z_.size());
        download(backend_, z_, z);
        const Deviation found = system_.deviation(z, grown);
        wrong_ += !found.accepted;
        fmt::print("  {:<24} {:10.1f} us  {:6.3f} us a level  x {:6.2f}  off by {:.1e}{}  {}\n", name, 1e6 * seconds,
                   1e6 * seconds / (2.0 * levels_), reference / seconds, found.largest, found.accepted ? "" : " WRONG",
                   note);
        std::fflush(stdout);
        fill(backend_, std::numeric_limits<T>::quiet_NaN(), z_);
    }

    Cuda& backend_;
    TriangularSystem<T> system_;
    DeviceVector<T> r_, z_;
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
