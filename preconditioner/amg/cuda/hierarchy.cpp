#include "stiefel/preconditioner/amg/cuda/hierarchy.hpp"

#include "stiefel/preconditioner/amg/chebyshev_smoother.hpp"
#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/cuda/coarse_inverse.hpp"
#include "stiefel/preconditioner/amg/cuda/prolongation.hpp"
#include "stiefel/preconditioner/amg/cuda/scaled_formats.hpp"
#include "stiefel/preconditioner/amg/cuda/spectral_radius.hpp"
#include "stiefel/preconditioner/diagonal.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace stiefel::amg {

namespace {

void check_diagonal(Cuda& backend, const DeviceMatrix& m, const LevelFacts& facts) {
    if (facts.first_bad_row == LevelFacts::none) return;
    double entry = 0;
    backend.copy_bytes(&entry, m.diagonal.data() + facts.first_bad_row, sizeof entry);
    backend.synchronize();
    refuse_diagonal(facts.first_bad_row, entry);
}

DeviceMatrix looked_at(Cuda& backend, const DeviceCsr<double>& a) {
    DeviceMatrix m = look_at_diagonal(backend, a);
    look_at_rows(backend, a, m);
    return m;
}

/// Seconds between points of the stream's work, each of which ends a step.
class StepClock {
public:
    explicit StepClock(Cuda& backend) : backend_(backend) { mark(nullptr); }

    /// What was enqueued since the last mark was for that step.
    void mark(double SetupSeconds::*step) {
        CudaEvent event;
        event.record(backend_);
        marks_.emplace_back(std::move(event), step);
    }

    SetupSeconds seconds() const {
        SetupSeconds sum;
        for (std::size_t m = 1; m < marks_.size(); ++m) {
            sum.*marks_[m].second += marks_[m].first.seconds_since(marks_[m - 1].first);
        }
        return sum;
    }

private:
    Cuda& backend_;
    std::vector<std::pair<CudaEvent, double SetupSeconds::*>> marks_;
};

/// As find_components() asks first.
bool may_have_blocks(const LevelFacts& facts) {
    constexpr double least_positive = 0.5;
    return facts.n_coupled > 0 && facts.n_positive >= least_positive * facts.n_coupled;
}

/// Whether it can be said without a look at the matrix.
bool needs_host(const SetupOptions& options) {
    const bool has_blocks = options.coordinates.dimensions > 0 || options.block_size > 1;
    return has_blocks || options.smoother != ListedChebyshevSmoother::name;
}

/// Thrown within this file where the host has to look at a coarse matrix: see coarse_diagonal.hpp.
struct HasAbsentUnknowns {};

double spread_of(const LevelFacts& facts) {
    return LevelFacts::number(facts.most_diagonal) / LevelFacts::number(facts.least_diagonal);
}

class HierarchyBuilder {
public:
    HierarchyBuilder(Cuda& backend, const SetupOptions& options, const std::function<void(const DeviceLevel&)>& keep)
        : backend_(backend), options_(options), keep_(keep), clock_(backend) {}

    std::optional<SetupSeconds> build(const DeviceCsr<double>& finest) {
        try {
            return build_all(finest);
        } catch (const HasAbsentUnknowns&) {
            return {};
        }
    }

private:
    std::optional<SetupSeconds> build_all(const DeviceCsr<double>& finest) {
        DeviceCsr<double> owned;
        const DeviceCsr<double>* a = &finest;
        DeviceMatrix found = looked_at(backend_, finest);
        const LevelFacts facts = load(backend_, found.facts);
        check_diagonal(backend_, found, facts);
        if (options_.block_size == 0 && may_have_blocks(facts)) return {};
        finest_spread_ = spread_of(facts);
        for (int l = 1;; ++l) {
            const bool may_shrink = a->n_rows > options_.coarsest_rows && l < options_.most_levels;
            std::optional<Coarser> next;
            if (may_shrink) next = coarser(*a, found);
            if (!next) {
                end_with(*a, found);
                return clock_.seconds();
            }
            owned = std::move(next->a);
            a = &owned;
            found = std::move(next->found);
        }
    }

    /// Where a part of a singular matrix has become one aggregate, only rounding is left of its row.
    void check_coarse_diagonal(const LevelFacts& facts) const {
        constexpr double most_growth = 1e10;  // of the range of a diagonal, from the finest level on
        if (facts.first_bad_row != LevelFacts::none || !(spread_of(facts) <= most_growth * finest_spread_)) {
            throw HasAbsentUnknowns{};
        }
    }

    struct Coarser {
        DeviceCsr<double> a;
        DeviceMatrix found;
    };

    /// Keeps this level, and makes the next; none where aggregation hardly shrinks it.
    std::optional<Coarser> coarser(const DeviceCsr<double>& a, DeviceMatrix& found) {
        DeviceStrength strength = find_strong(backend_, a, found);
        LevelFacts facts;
        const DeviceAggregates aggregates = parallel_aggregates(backend_, a, strength, found, facts);
        clock_.mark(&SetupSeconds::aggregate);
        check_coarse_diagonal(facts);
        if (aggregates.count > least_shrinking * a.n_rows) return {};
        const DeviceSpectralRadius radius(backend_, a, found, LevelFacts::number(facts.gershgorin));
        clock_.mark(&SetupSeconds::smoother);
        const DeviceCsr<double> p = smoothed_prolongation(backend_, a, strength, found, aggregates);
        strength = {};
        clock_.mark(&SetupSeconds::prolongate);
        const DeviceCsr<double> r = transpose(backend_, p);
        DeviceCsr<double> coarse = spgemm(backend_, r, spgemm(backend_, a, p));
        clock_.mark(&SetupSeconds::product);
        DeviceMatrix coarse_found = looked_at(backend_, coarse);
        clock_.mark(&SetupSeconds::aggregate);
        const DeviceDiagonal coarse_diagonal = diagonal_of(coarse_found);
        keep_({.a = a,
               .diagonal = diagonal_of(found),
               .spectral_radius = radius.value(backend_),
               .prolongation = &p,
               .restriction = &r,
               .coarse_diagonal = &coarse_diagonal,
               .inverse = nullptr});
        clock_.mark(&SetupSeconds::convert);
        return Coarser{std::move(coarse), std::move(coarse_found)};
    }

    void end_with(const DeviceCsr<double>& a, const DeviceMatrix& found) {
        const LevelFacts facts = load(backend_, found.facts);
        check_coarse_diagonal(facts);
        const bool small = a.n_rows <= most_inverted_rows;
        double radius = LevelFacts::number(facts.gershgorin);
        if (!small) radius = DeviceSpectralRadius(backend_, a, found, radius).value(backend_);
        clock_.mark(&SetupSeconds::smoother);
        const DeviceCsr<double> inverse = small ? coarse_inverse(backend_, a, found) : DeviceCsr<double>{};
        clock_.mark(&SetupSeconds::coarsest);
        keep_({.a = a,
               .diagonal = diagonal_of(found),
               .spectral_radius = radius,
               .prolongation = nullptr,
               .restriction = nullptr,
               .coarse_diagonal = nullptr,
               .inverse = small ? &inverse : nullptr});
        clock_.mark(&SetupSeconds::convert);
    }

    static DeviceDiagonal diagonal_of(const DeviceMatrix& m) { return {m.diagonal, m.inverse_root}; }

    Cuda& backend_;
    const SetupOptions& options_;
    const std::function<void(const DeviceLevel&)>& keep_;
    double finest_spread_ = 1;
    StepClock clock_;
};

}  // namespace

double diagonal_spread(Cuda& backend, const DeviceCsr<double>& a) {
    if (a.n_rows == 0) return 1;
    const DeviceMatrix found = look_at_diagonal(backend, a);
    const LevelFacts facts = load(backend, found.facts);
    check_diagonal(backend, found, facts);
    return std::max(LevelFacts::number(facts.most_diagonal), 1.0) /
           std::min(LevelFacts::number(facts.least_diagonal), 1.0);
}

bool suits_device(Cuda& backend, const DeviceCsr<double>& a, const SetupOptions& options) {
    if (a.n_rows == 0 || needs_host(options)) return false;
    if (options.block_size == 1) return true;
    const DeviceMatrix found = looked_at(backend, a);
    return !may_have_blocks(load(backend, found.facts));
}

std::optional<SetupSeconds> build_hierarchy(Cuda& backend, const DeviceCsr<double>& a, const SetupOptions& options,
                                            const std::function<void(const DeviceLevel&)>& keep) {
    require(a.n_rows == a.n_cols, "amg: A must be square");
    if (a.n_rows == 0 || needs_host(options)) return {};
    return HierarchyBuilder(backend, options, keep).build(a);
}

template <class S>
CycleLevel<Cuda, S> to_cycle_level(Cuda& backend, const DeviceLevel& level) {
    const DiagonalScale root{&level.diagonal.inverse_roots, true}, inverse_root{&level.diagonal.inverse_roots};
    CycleLevel<Cuda, S> kept;
    kept.n_rows = level.a.n_rows;
    if (level.inverse != nullptr) {
        const ScaledMatrix inverse{level.inverse, root, root};
        kept.inverse = std::move(scaled_operators<S>(backend, {&inverse, 1}).front());
        return kept;
    }
    std::vector<ScaledMatrix> matrices{{&level.a, inverse_root, inverse_root}};
    if (level.prolongation != nullptr) {
        const DiagonalScale coarse{&level.coarse_diagonal->inverse_roots};
        matrices.push_back({level.prolongation, root, coarse});
        matrices.push_back({level.restriction, coarse, root});
    }
    auto operators = scaled_operators<S>(backend, matrices);
    kept.smoother = std::make_unique<ChebyshevSmoother<Cuda, S>>(std::move(operators[0]), level.spectral_radius);
    if (level.prolongation != nullptr) {
        kept.prolong = std::move(operators[1]);
        kept.restrict_ = std::move(operators[2]);
    }
    return kept;
}

template CycleLevel<Cuda, float> to_cycle_level(Cuda&, const DeviceLevel&);
template CycleLevel<Cuda, double> to_cycle_level(Cuda&, const DeviceLevel&);

}  // namespace stiefel::amg
