#pragma once

#include "stiefel/core/transfer.hpp"
#include "stiefel/solver/cg_coefficients.hpp"
#include "stiefel/solver/ritz_extremes.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

namespace stiefel {

/// Where a device writes coefficients, and the host reads them once the run has ended.
struct CgCoefficientRing {
    CgCoefficients* written;
    const CgCoefficients* read;
};

/// That of a backend: of one run at a time, so it is read before the next begins.
CgCoefficientRing coefficient_ring(Cuda&);

/// The coefficients that a run of CG leaves, kept where they are decided, so that no iteration waits for them: one
/// store of 16 bytes each, by a device into memory of the host.
template <class B>
class CgSpectrum {
public:
    explicit CgSpectrum(B& backend) : ring_(room_for(backend)) {}

    /// For CgState::coefficients.
    CgCoefficients* ring() {
        if constexpr (HostBackend<B>) {
            return ring_.data();
        } else {
            return ring_.written;
        }
    }

    /// What the iterations `begin` + 1 to `end` of a run have told. Of a run longer than the ring the last ones tell:
    /// CG that had begun there would have left the same coefficients, and its Ritz values lie within those of the
    /// whole.
    std::optional<RitzExtremes> of(Size begin, Size end) const {
        begin = std::max(begin, end - cg_coefficient_ring);
        HostVector<CgCoefficients> kept(end - begin);
        for (Size k = 0; k < kept.size(); ++k) kept[k] = on_host()[cg_coefficient_place(begin + 1 + k)];
        return ritz_extremes(std::as_const(kept).span());
    }

private:
    using Ring = std::conditional_t<HostBackend<B>, HostVector<CgCoefficients>, CgCoefficientRing>;

    /// On a host no page of it is touched before it is written to.
    static Ring room_for(B& backend) {
        if constexpr (HostBackend<B>) {
            return Ring(cg_coefficient_ring);
        } else {
            return coefficient_ring(backend);
        }
    }

    const CgCoefficients* on_host() const {
        if constexpr (HostBackend<B>) {
            return ring_.data();
        } else {
            return ring_.read;
        }
    }

    Ring ring_;
};

}  // namespace stiefel
