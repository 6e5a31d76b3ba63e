#include "stiefel/world/cuda/device_gather.hpp"

#include "stiefel/world/exchange.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stiefel {

namespace {

void meet(CudaWorld& world) {
    double nothing = 0;
    world.all_sum(&nothing, 1);
}

void by_hosts(Cuda& backend, CudaWorld& world, const void* here, Size own_bytes, std::byte* all) {
    Ranks::Bytes own(static_cast<std::size_t>(own_bytes));
    if (own_bytes > 0) backend.download_bytes(own.data(), here, own_bytes);
    for (const Ranks::Bytes& theirs : told_to_all(world, own)) {
        const auto n = static_cast<Size>(theirs.size());
        if (n > 0) backend.upload_bytes(all, theirs.data(), n);
        all += n;
    }
    backend.synchronize();
}

}  // namespace

std::vector<Size> bytes_of_all(CudaWorld& world, Size here) {
    return told_to_all(world, here);
}

void gather_bytes(Cuda& backend, CudaWorld& world, const void* here, std::span<const Size> bytes, void* all) {
    auto* const to = static_cast<std::byte*>(all);
    const auto* const from = static_cast<const std::byte*>(here);
    const auto rank = static_cast<std::size_t>(world.rank());
    if (world.needs_hosts()) return by_hosts(backend, world, here, bytes[rank], to);
    const Size most = *std::max_element(bytes.begin(), bytes.end()), piece = CudaWorld::staging_bytes;
    const std::vector<std::byte*>& staging = world.staging();
    // Of a rank's bytes, those of the piece that begins there.
    const auto in_piece = [&](std::size_t r, Size begin) { return std::clamp<Size>(bytes[r] - begin, 0, piece); };
    for (Size begin = 0; begin < most; begin += piece) {
        if (const Size n = in_piece(rank, begin); n > 0) backend.copy_bytes(staging[rank], from + begin, n);
        backend.synchronize();
        meet(world);
        Size first = 0;
        for (std::size_t r = 0; r < bytes.size(); first += bytes[r++]) {
            if (const Size n = in_piece(r, begin); n > 0) backend.copy_bytes(to + first + begin, staging[r], n);
        }
        backend.synchronize();
        meet(world);
    }
}

}  // namespace stiefel
