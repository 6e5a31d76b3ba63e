#pragma once

#include "stiefel/core/transfer.hpp"
#include "stiefel/solver/cg_coefficients.hpp"
#include "stiefel/solver/ritz_extremes.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace stiefel {

/// The coefficients that a run of CG leaves, kept where they are decided, so that no iteration waits for them: one
/// store of 16 bytes each.
template <class B>
class CgSpectrum {
public:
    explicit CgSpectrum(B& backend) : ring_(room_for(backend)) {}

    /// For CgState::coefficients.
    CgCoefficients* ring() { return ring_.data(); }

    /// What the iterations `begin` + 1 to `end` of a run have told. Of a run longer than the ring the last ones tell:
    /// CG that had begun there would have left the same coefficients, and its Ritz values lie within those of the
    /// whole.
    std::optional<RitzExtremes> of(B& backend, Size begin, Size end) const {
        begin = std::max(begin, end - cg_coefficient_ring);
        HostVector<CgCoefficients> kept(end - begin);
        for (Size done = 0; done < kept.size();) {
            const Size place = cg_coefficient_place(begin + 1 + done);
            const Size n = std::min(kept.size() - done, cg_coefficient_ring - place);
            bring(backend, place, n, kept.data() + done);
            done += n;
        }
        return ritz_extremes(std::as_const(kept).span());
    }

private:
    using Ring = VectorOf<B, CgCoefficients>;

    /// On a host no page of it is touched before it is written to.
    static Ring room_for(B& backend) {
        if constexpr (HostBackend<B>) {
            return Ring(cg_coefficient_ring);
        } else {
            return make_vector<CgCoefficients>(backend, cg_coefficient_ring);
        }
    }

    void bring(B& backend, Size place, Size n, CgCoefficients* to) const {
        if constexpr (HostBackend<B>) {
            std::copy_n(ring_.data() + place, n, to);
        } else {
            backend.download_bytes(to, ring_.data() + place, n * static_cast<Size>(sizeof *to));
        }
    }

    Ring ring_;
};

}  // namespace stiefel
