#include "stiefel/preconditioner/amg/cuda/hierarchy.hpp"

#include "stiefel/preconditioner/amg/chebyshev_smoother.hpp"
#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/cuda/block_matrix.hpp"
#include "stiefel/preconditioner/amg/cuda/coarse_inverse.hpp"
#include "stiefel/preconditioner/amg/cuda/coarsening.hpp"
#include "stiefel/preconditioner/amg/cuda/nodes.hpp"
#include "stiefel/preconditioner/amg/cuda/scaled_formats.hpp"
#include "stiefel/preconditioner/diagonal.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace stiefel::amg {

namespace {

void check_diagonal(Cuda& backend, const DeviceMatrix& m, const LevelFacts& facts) {
    if (facts.first_bad_row == LevelFacts::none) return;
    refuse_diagonal(facts.first_bad_row, load(backend, m.diagonal.data() + facts.first_bad_row));
}

/// Whether there are kernels for nodes and modes as the options say them; what they leave open is found, and is served.
bool needs_host(const SetupOptions& options) {
    const Index block = options.block_size;
    if (options.smoother != ListedChebyshevSmoother::name || options.near_null_space != nullptr) return true;
    if (options.coordinates.dimensions > 0) return false;  // of what else they fit, no set-up is made
    return block > 1 && !has_block_kernels(block, block);
}

double spread_of(const LevelFacts& facts) {
    return LevelFacts::number(facts.most_diagonal) / LevelFacts::number(facts.least_diagonal);
}

Index block_size(Cuda& backend, const DeviceCsr<double>& a, const LevelFacts& facts, const SetupOptions& options) {
    const Index said = said_block_size(a.n_rows, options);
    const Index block = said > 0 ? said : find_components(backend, a, facts);
    check_blocks(a.n_rows, block, options);
    return block;
}

class HierarchyBuilder {
public:
    HierarchyBuilder(Cuda& backend, const SetupOptions& options, const std::function<void(const DeviceLevel&)>& keep)
        : backend_(backend), options_(options), keep_(keep), clock_(backend) {}

    SetupSeconds build(const DeviceCsr<double>& finest, std::unique_ptr<DeviceCoarsening>& coarsening) {
        DeviceCsr<double> owned;
        const DeviceCsr<double>* a = &finest;
        DeviceMatrix found = looked_at(backend_, finest);
        const LevelFacts facts = load(backend_, found.facts);
        check_diagonal(backend_, found, facts);
        if (coarsening) {
            coarsening->begin_again();
        } else {
            coarsening = make_coarsening(finest, facts);
        }
        coarsening->finest_spread = finest_spread_ = spread_of(facts);
        block_ = coarsening->block_size();
        clock_.mark(&SetupSeconds::aggregate);
        for (int l = 1;; ++l) {
            const bool may_shrink = a->n_rows > options_.coarsest_rows && l < options_.most_levels;
            std::optional<DeviceCoarserLevel> next;
            if (may_shrink) next = coarsening->coarsen(backend_, *a, found, clock_);
            if (!next) {
                end_with(*a, found);
                return clock_.seconds();
            }
            keep_level(*a, found, *next);
            owned = std::move(next->a);
            a = &owned;
            found = std::move(next->found);
        }
    }

private:
    std::unique_ptr<DeviceCoarsening> make_coarsening(const DeviceCsr<double>& a, const LevelFacts& facts) const {
        const Index block = block_size(backend_, a, facts, options_);
        check_coarsening(block, options_);
        if (options_.coordinates.dimensions > 0) {
            return block_device_coarsening(rigid_body_modes(backend_, options_.coordinates, block),
                                           options_.for_updates);
        }
        if (block > 1) return block_device_coarsening(constants(backend_, a.n_rows, block), options_.for_updates);
        return scalar_device_coarsening(options_.coarsening, options_.for_updates);
    }

    void keep_level(const DeviceCsr<double>& a, const DeviceMatrix& found, const DeviceCoarserLevel& next) {
        const DeviceDiagonal coarse_diagonal = diagonal_of(next.found);
        keep_({.a = a,
               .diagonal = diagonal_of(found),
               .spectral_radius = next.radius.value(backend_),
               .transfer = next.transfer,
               .coarse_diagonal = &coarse_diagonal,
               .inverse = nullptr,
               .block_size = block_});
        clock_.mark(&SetupSeconds::convert);
    }

    void end_with(const DeviceCsr<double>& a, const DeviceMatrix& found) {
        const LevelFacts facts = load(backend_, found.facts);
        check_coarse_diagonal(facts, finest_spread_);
        const bool small = a.n_rows <= most_inverted_rows;
        double radius = LevelFacts::number(facts.gershgorin);
        if (!small) radius = DeviceSpectralRadius(backend_, a, found, radius).value(backend_);
        clock_.mark(&SetupSeconds::smoother);
        const DeviceCsr<double> inverse = small ? coarse_inverse(backend_, a, found) : DeviceCsr<double>{};
        clock_.mark(&SetupSeconds::coarsest);
        keep_({.a = a,
               .diagonal = diagonal_of(found),
               .spectral_radius = radius,
               .transfer = nullptr,
               .coarse_diagonal = nullptr,
               .inverse = small ? &inverse : nullptr,
               .block_size = block_});
        clock_.mark(&SetupSeconds::convert);
    }

    static DeviceDiagonal diagonal_of(const DeviceMatrix& m) { return {m.diagonal, m.inverse_root}; }

    Cuda& backend_;
    const SetupOptions& options_;
    const std::function<void(const DeviceLevel&)>& keep_;
    double finest_spread_ = 1;
    Index block_ = 1;
    StepClock clock_;
};

}  // namespace

DeviceMatrix looked_at(Cuda& backend, const DeviceCsr<double>& a) {
    DeviceMatrix m = look_at_diagonal(backend, a);
    look_at_rows(backend, a, m);
    return m;
}

void check_coarse_diagonal(const LevelFacts& facts, double finest_spread) {
    constexpr double most_growth = 1e10;  // of the range of a diagonal, from the finest level on
    if (facts.first_bad_row != LevelFacts::none || !(spread_of(facts) <= most_growth * finest_spread)) {
        throw NeedsHost{};
    }
}

double diagonal_spread(Cuda& backend, const DeviceCsr<double>& a) {
    if (a.n_rows == 0) return 1;
    const DeviceMatrix found = look_at_diagonal(backend, a);
    const LevelFacts facts = load(backend, found.facts);
    check_diagonal(backend, found, facts);
    return std::max(LevelFacts::number(facts.most_diagonal), 1.0) /
           std::min(LevelFacts::number(facts.least_diagonal), 1.0);
}

bool suits_device(const SetupOptions& options) {
    return !needs_host(options);
}

std::optional<SetupSeconds> build_hierarchy(Cuda& backend, const DeviceCsr<double>& a, const SetupOptions& options,
                                            std::unique_ptr<DeviceCoarsening>& coarsening,
                                            const std::function<void(const DeviceLevel&)>& keep) {
    require(a.n_rows == a.n_cols, "amg: A must be square");
    if (a.n_rows == 0 || needs_host(options)) return {};
    try {
        return HierarchyBuilder(backend, options, keep).build(a, coarsening);
    } catch (const NeedsHost&) {
        return {};
    } catch (const TooManyBlocks&) {
        return {};
    }
}

template <class S>
CycleLevel<Cuda, S> to_cycle_level(Cuda& backend, const DeviceLevel& level, bool is_twice) {
    const DiagonalScale root{&level.diagonal.inverse_roots, true}, inverse_root{&level.diagonal.inverse_roots};
    CycleLevel<Cuda, S> kept;
    kept.n_rows = level.a.n_rows;
    if (level.inverse != nullptr) {
        const ScaledMatrix inverse{level.inverse, root, root};
        kept.inverse = std::move(scaled_operators<S>(backend, {&inverse, 1}).front().a);
        return kept;
    }
    std::vector<ScaledMatrix> matrices{{&level.a, inverse_root, inverse_root}};
    if (level.transfer) {
        const DiagonalScale coarse{&level.coarse_diagonal->inverse_roots};
        matrices.push_back({&level.transfer->prolongation, root, coarse});
        matrices.push_back({&level.transfer->restriction, coarse, root});
    }
    auto operators = scaled_operators<S>(backend, matrices);
    kept.smoother = std::make_unique<ChebyshevSmoother<Cuda, S>>(std::move(operators[0].a), level.spectral_radius,
                                                                 std::move(operators[0].diagonals));
    if (level.transfer) {
        kept.prolong = std::move(operators[1].a);
        kept.restrict_ = std::move(operators[2].a);
        if (is_twice) kept.second = {std::move(scaled_operators<double>(backend, {matrices.data(), 1}).front().a)};
    }
    return kept;
}

template CycleLevel<Cuda, float> to_cycle_level(Cuda&, const DeviceLevel&, bool);
template CycleLevel<Cuda, double> to_cycle_level(Cuda&, const DeviceLevel&, bool);

}  // namespace stiefel::amg
