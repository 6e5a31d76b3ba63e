#pragma once

#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/cuda/coarsening.hpp"
#include "stiefel/preconditioner/amg/cuda/hierarchy.hpp"
#include "stiefel/preconditioner/amg/cuda/scaled_formats.hpp"
#include "stiefel/preconditioner/amg/cycle_levels.hpp"
#include "stiefel/preconditioner/amg/hierarchy.hpp"
#include "stiefel/preconditioner/amg/memory.hpp"
#include "stiefel/preconditioner/amg/ritz_value.hpp"
#include "stiefel/preconditioner/any_preconditioner.hpp"
#include "stiefel/preconditioner/details.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace stiefel {

namespace amg {

/// A's entries in double precision in its own memory, where the setup begins: A itself, or a copy.
template <class Memory>
const Csr<double, Memory>& in_double(auto&, const Csr<double, Memory>& a) {
    return a;
}
inline HostCsr<double> in_double(auto& backend, const HostCsr<float>& a) {
    auto&& host = host_of(backend);
    const HostVector<double> ones(std::max(a.n_rows, a.n_cols), 1.0);
    return scaled_copy<double>(host, ScaledCsr<float>{a, ones, ones});
}

/// Where the levels were made.
struct MadeBy {
    std::unique_ptr<Coarsening> host;
    std::unique_ptr<DeviceCoarsening> device;

    Size bytes() const { return host ? host->bytes() : device ? device->bytes() : 0; }
};

// The setup runs where A lies; on a device unless the host must find its blocks, or unknowns that are absent from a
// coarse matrix: then forget() what was kept so far.

template <class B, class Keep, class Forget>
SetupSeconds build_levels(B& backend, const HostCsr<double>& a, const SetupOptions& options, MadeBy& by, Keep&& keep,
                          Forget&& forget, const RitzValueOf& ritz_value = {}) {
    if constexpr (HostBackend<B>) {
        auto&& host = host_of(backend);
        return build_hierarchy(host, a, options, by.host, keep, ritz_value);
    } else {
        return build_levels(backend, to_device(backend, a), options, by, keep, forget);
    }
}
/// A device finds its own, and where the host sets up for it, these are by products with A.
template <class Keep, class Forget>
SetupSeconds build_levels(Cuda& backend, const DeviceCsr<double>& a, const SetupOptions& options, MadeBy& by,
                          Keep&& keep, Forget&& forget, const RitzValueOf& = {}) {
    if (!by.host) {
        if (const auto seconds = build_hierarchy(backend, a, options, by.device, keep)) return *seconds;
        by.device.reset();
        forget();
    }
    OpenMP host;
    return build_hierarchy(host, to_host(backend, a), options, by.host, keep);
}

template <class B>
double diagonal_spread_of(B& backend, const HostCsr<double>& a) {
    auto&& host = host_of(backend);
    return diagonal_spread(host, a);
}
inline double diagonal_spread_of(Cuda& backend, const DeviceCsr<double>& a) {
    return diagonal_spread(backend, a);
}

/// Rounded to T, in the backend's memory.
template <class T, class B>
VectorOf<B, T> rounded(B& backend, const HostVector<double>& inverse_roots) {
    auto&& host = host_of(backend);
    HostVector<T> roots(inverse_roots.size());
#pragma omp parallel for num_threads(host.threads()) schedule(static) if (roots.size() > 20000)
    for (Size i = 0; i < roots.size(); ++i) roots[i] = static_cast<T>(inverse_roots[i]);
    if constexpr (HostBackend<B>) {
        return roots;
    } else {
        auto there = make_vector<T>(backend, roots.size());
        upload(backend, roots, there);
        backend.synchronize();
        return there;
    }
}
template <class T, class B>
VectorOf<B, T> inverse_roots(B& backend, const Level& level) {
    return rounded<T>(backend, level.inverse_roots);
}
template <class T>
DeviceVector<T> inverse_roots(Cuda& backend, const DeviceLevel& level) {
    return rounded<T>(backend, level.diagonal.inverse_roots);
}

template <class B, class S>
CycleLevel<B, S> cycle_level(B& backend, const Level& level, const SmootherEntry<B, S>& smoother, bool is_twice,
                             MadeMatrix<B, S> made = {}) {
    return to_cycle_level<B, S>(backend, level, smoother, is_twice, std::move(made));
}
/// With the default smoother: the host sets up for others.
template <class, class S>
CycleLevel<Cuda, S> cycle_level(Cuda& backend, const DeviceLevel& level, const SmootherEntry<Cuda, S>&, bool is_twice,
                                MadeMatrix<Cuda, S> = {}) {
    return to_cycle_level<S>(backend, level, is_twice);
}

}  // namespace amg

/// Algebraic multigrid as preconditioner: one cycle on a hierarchy made by smoothed aggregation (Vanek, Mandel and
/// Brezina 1996) or pairs (Notay 2010), M symmetric positive definite. T is the precision of the vectors it is applied
/// to; the hierarchy is kept and worked with in S, single precision as a rule: it moves half the bytes, and a
/// preconditioner needs no more. Setup runs where A lies (amg::build_levels). docs/kernels/amg.md explains set-up and
/// cycle.
template <class B, class T, class S = float>
class Amg : public amg::CycleLevels<B, T, S> {
    using Levels = amg::CycleLevels<B, T, S>;

public:
    static constexpr const char* name = "amg";

    /// a: n x n, symmetric positive definite, on the host or where the backend computes; not kept. Throws
    /// InvalidArgument naming the row where the diagonal is not positive.
    template <class Memory>
    explicit Amg(B& backend, const Csr<double, Memory>& a, const amg::SetupOptions& options = {})
        : Levels(options.cycle), smoother_(&amg::find_listed(amg::smoothers<B, S>, "smoother", options.smoother)) {
        build(backend, a, options);
        if (!options.for_updates) made_by_ = {};
        n_rows_ = a.n_rows;
        nnz_ = a.nnz();
        again_ = {.coarsest_rows = options.coarsest_rows, .most_levels = options.most_levels, .for_updates = true};
    }

    /// M for another A with the same pattern, in a fraction of the time: the prolongations stay, everything else is
    /// made of the new values. Made with `for_updates`. M is as good as a new one where the strong couplings are still
    /// the same; otherwise it takes more iterations. Throws InvalidArgument as the constructor does, and where rows or
    /// entries are not as many as they were; after that M can only be updated again.
    template <class Memory>
    void update_values(B& backend, const Csr<double, Memory>& a) {
        require(made_by_.host || made_by_.device, "amg: the hierarchy was not made for_updates");
        require(a.n_rows == n_rows_ && a.n_cols == n_rows_ && a.nnz() == nnz_,
                "amg: another pattern than that of the matrix that the hierarchy was made for");
        build(backend, a, again_);
    }

    Size bytes() const { return Levels::bytes() + made_by_.bytes(); }

    PreconditionerDetails details() const {
        PreconditionerDetails details = Levels::details();
        details.bytes = bytes();
        return details;
    }

    /// Z = M R
    friend void precondition(B& backend, const Amg& m, MatrixOf<B, const T> r, MatrixOf<B, T> z) {
        m.apply(backend, r, z);
    }

    /// On a device its last smoothing step gives <r, M r> in passing, where that pays.
    bool gives_dot() const { return Levels::has_way_out(); }
    friend void precondition_dot(B& backend, const Amg& m, const VectorOf<B, T>& r, VectorOf<B, T>& z, double* dot) {
        m.apply(backend, r, z, dot);
    }

private:
    template <class Memory>
    void build(B& backend, const Csr<double, Memory>& a, const amg::SetupOptions& options) {
        amg::MadeMatrix<B, S> made;  // of the level at hand, where Lanczos was by it
        amg::RitzValueOf ritz_value;
        if constexpr (HostBackend<B>) {
            ritz_value = [&](const ScaledCsr<double>& scaled) {
                auto&& host = amg::host_of(backend);
                made = amg::to_cycle_matrix<B, S>(backend, scaled);
                const auto product = [&](const HostVector<S>& v, HostVector<S>& w) {
                    multiply(backend, *made, 1, v, w, 1, 0);
                };
                return amg::largest_ritz_value<S>(host, scaled.a.n_rows, product);
            };
        }
        const auto keep = [&](const auto& level) {
            if (!this->has_levels()) begin_with(backend, level, options);
            const bool is_twice = level.transfer && this->next_is_visited_twice(level.a.nnz());
            this->add(amg::cycle_level<B, S>(backend, level, *smoother_, is_twice, std::exchange(made, {})),
                      level.a.n_rows, level.a.nnz());
        };
        const auto forget = [&] { this->forget(); };
        forget();
        amg::SetupSeconds steps;
        try {
            steps = amg::build_levels(backend, a, options, made_by_, keep, forget, ritz_value);
        } catch (...) {
            forget();
            throw;
        }
        this->complete(backend, steps);
        if constexpr (std::is_same_v<S, float>) try_precision(backend);
    }

    void try_precision(B& backend) {
        const Stopwatch since_begin;
        const double quotient = this->try_out(backend).quotient();
        if (quotient >= amg::least_in_short && this->gains_by_rounding()) this->round_values(backend);
        this->add_trial(quotient, since_begin.seconds());
    }

    void begin_with(B& backend, const auto& finest, const amg::SetupOptions& options) {
        this->begin(amg::inverse_roots<T>(backend, finest),
                    {.coarsening = finest.transfer ? finest.transfer->coarsening : std::string_view{},
                     .smoother = smoother_->name,
                     .block_size = finest.block_size,
                     .near_null_space = amg::near_null_space_name(options, finest.block_size)});
    }

    const amg::SmootherEntry<B, S>* smoother_;
    amg::MadeBy made_by_;  // empty unless for updates
    amg::SetupOptions again_;
    Index n_rows_ = 0;
    Size nnz_ = 0;
};

namespace amg {

/// Of a diagonal's range: beyond, residuals, divided by its root, or scaled by CG so that its own sums stay in range,
/// might leave that of single precision.
inline constexpr double widest_in_single = 1e20;

/// Single precision, unless the diagonal reaches too far for it, or a trial says that A is too near to singular.
template <class B, class T, class Memory>
std::variant<Amg<B, T, float>, Amg<B, T, double>> in_suitable_precision(B& backend, const Csr<double, Memory>& a,
                                                                        const SetupOptions& options) {
    if (diagonal_spread_of(backend, a) > widest_in_single) return Amg<B, T, double>(backend, a, options);
    const Stopwatch since_begin;
    double found = 0;
    {
        Amg<B, T, float> single(backend, a, options);
        if (single.is_precise()) return single;
        found = single.trial();
    }
    const double seconds = since_begin.seconds();
    Amg<B, T, double> precise(backend, a, options);
    precise.count_trial(found, seconds);
    return precise;
}

}  // namespace amg

/// As it stands in preconditioner/list.hpp.
struct ListedAmg {
    static constexpr std::string_view name = "amg";
    static constexpr std::string_view description =
        "algebraic multigrid by smoothed aggregation: few iterations, hardly more for larger systems";
    static constexpr std::string_view source = "Vanek, Mandel and Brezina 1996; Adams, Brezina, Hu and Tuminaro 2003";

    template <class B, class T>
    static auto prepare(B& on, const Csr<T, typename B::memory>& csr, const amg::SetupOptions& options) {
        amg::require_room(on, csr.n_rows, csr.nnz());
        const auto& entries = amg::in_double(on, csr);
        return [m = amg::in_suitable_precision<B, T>(on, entries, options)](B& backend, const auto&,
                                                                            Index columns) mutable {
            std::visit([&](auto& made) { made.reserve(backend, columns); }, m);
            return std::visit([](auto& made) { return AnyPreconditioner<B, T>(std::move(made)); }, m);
        };
    }
};

}  // namespace stiefel
