#pragma once

#include "stiefel/core/transfer.hpp"
#include "stiefel/solver/block_cg_record.hpp"
#include "stiefel/solver/block_ritz_extremes.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace stiefel {

/// The small matrices that a run of block CG leaves, kept where they are made, so that no iteration waits for them.
template <class B>
class BlockCgSpectrum {
public:
    /// 4 MiB.
    BlockCgSpectrum(B& backend, Index k)
        : k_(k), kept_(make_room(backend, BlockCgRecord::iterations(k) * BlockCgRecord::doubles(k))) {}

    /// For BlockCgMatrices::kept.
    BlockCgRecord record() { return {kept_.data(), k_}; }

    /// What the iterations `begin` + 1 to `end` of a solve have told, or the first of them, as far as they are kept.
    std::optional<RitzExtremes> of(B& backend, Size begin, Size end) const {
        end = std::min(end, BlockCgRecord::iterations(k_));
        if (begin >= end) return {};
        const Size size = BlockCgRecord::doubles(k_);
        const double* const from = kept_.data() + begin * size;
        if constexpr (HostBackend<B>) {
            return block_ritz_extremes(k_, std::span(from, static_cast<std::size_t>((end - begin) * size)));
        } else {
            HostVector<double> here((end - begin) * size);
            backend.download_bytes(here.data(), from, here.bytes());
            return block_ritz_extremes(k_, std::as_const(here).span());
        }
    }

private:
    using Room = VectorOf<B, double>;

    /// On a host no page of it is touched before it is written to.
    static Room make_room(B& backend, Size n) {
        if constexpr (HostBackend<B>) {
            return Room(n);
        } else {
            return make_vector<double>(backend, n);
        }
    }

    Index k_;
    Room kept_;
};

}  // namespace stiefel
