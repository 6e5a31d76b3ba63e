#pragma once

#include "stiefel/core/transfer.hpp"
#include "stiefel/solver/cg_coefficients.hpp"
#include "stiefel/solver/ritz_extremes.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace stiefel {

/// Where a backend writes the coefficients of a run, and the host reads them once it has ended.
struct CgCoefficientRing {
    CgCoefficients* written;
    const CgCoefficients* read;
    HostVector<CgCoefficients> own = {};
};

/// No page of it is touched before it is written to.
template <HostBackend B>
CgCoefficientRing coefficient_ring(B&) {
    HostVector<CgCoefficients> own(cg_coefficient_ring);
    CgCoefficients* const ring = own.data();
    return {ring, ring, std::move(own)};
}
/// That of the backend: of one run at a time, so it is read before the next begins.
CgCoefficientRing coefficient_ring(Cuda&);

/// The coefficients that a run of CG leaves, kept where they are decided, so that no iteration waits for them: one
/// store of 16 bytes each, by a device into memory of the host.
class CgSpectrum {
public:
    template <class B>
    explicit CgSpectrum(B& backend) : ring_(coefficient_ring(backend)) {}

    /// For CgState::coefficients.
    CgCoefficients* ring() { return ring_.written; }

    /// What the iterations `begin` + 1 to `end` of a run have told. Of a run longer than the ring the last ones tell:
    /// CG that had begun there would have left the same coefficients, and its Ritz values lie within those of the
    /// whole.
    std::optional<RitzExtremes> of(Size begin, Size end) const {
        begin = std::max(begin, end - cg_coefficient_ring);
        HostVector<CgCoefficients> kept(end - begin);
        for (Size k = 0; k < kept.size(); ++k) kept[k] = ring_.read[cg_coefficient_place(begin + 1 + k)];
        return ritz_extremes(std::as_const(kept).span());
    }

private:
    CgCoefficientRing ring_;
};

}  // namespace stiefel
