#include "stiefel/core/cuda/staging.hpp"

#include <algorithm>
#include <cstring>

namespace stiefel {

StagingBuffer::StagingBuffer() : memory_(n_chunks * chunk_bytes) {
    copy_on_host(memory_.data(), nullptr, memory_.bytes());
    const auto bytes = static_cast<std::size_t>(memory_.bytes());
    is_locked_ = cudaHostRegister(memory_.data(), bytes, cudaHostRegisterDefault) == cudaSuccess;
    if (!is_locked_) static_cast<void>(cudaGetLastError());
    char* data = memory_.data();
    for (Chunk& chunk : chunks_) {
        chunk.data = data;
        data += chunk_bytes;
        check_cuda(cudaEventCreateWithFlags(&chunk.moved, cudaEventDisableTiming), "creating an event");
    }
}

StagingBuffer::~StagingBuffer() {
    if (is_locked_) static_cast<void>(cudaHostUnregister(memory_.data()));
    for (const Chunk& chunk : chunks_) static_cast<void>(cudaEventDestroy(chunk.moved));
}

/// Copies with several threads, or clears where there is no source, so that the threads place the pages.
void StagingBuffer::copy_on_host(char* to, const char* from, Size bytes) const {
    constexpr Size piece = Size{512} << 10;
    const Size pieces = (bytes + piece - 1) / piece;
    const int threads = std::min(host_.threads(), most_threads);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (Size k = 0; k < pieces; ++k) {
        const auto n = static_cast<std::size_t>(std::min(piece, bytes - k * piece));
        if (from != nullptr) {
            std::memcpy(to + k * piece, from + k * piece, n);
        } else {
            std::memset(to + k * piece, 0, n);
        }
    }
}

void StagingBuffer::upload(const Cuda& backend, char* to, const char* from, Size bytes) {
    std::size_t turn = 0;
    for (Size at = 0; at < bytes; at += chunk_bytes, turn = 1 - turn) {
        const Chunk& chunk = chunks_[turn];
        const Size n = std::min(chunk_bytes, bytes - at);
        check_cuda(cudaEventSynchronize(chunk.moved), "waiting for a copy");
        copy_on_host(chunk.data, from + at, n);
        backend.copy_bytes(to + at, chunk.data, n);
        check_cuda(cudaEventRecord(chunk.moved, backend.stream()), "recording an event");
    }
}

void StagingBuffer::download(const Cuda& backend, char* to, const char* from, Size bytes) {
    const auto fetch = [&](Size at) {
        const Chunk& chunk = chunks_[static_cast<std::size_t>(at / chunk_bytes % n_chunks)];
        backend.copy_bytes(chunk.data, from + at, std::min(chunk_bytes, bytes - at));
        check_cuda(cudaEventRecord(chunk.moved, backend.stream()), "recording an event");
    };
    if (bytes > 0) fetch(0);
    for (Size at = 0; at < bytes; at += chunk_bytes) {
        if (at + chunk_bytes < bytes) fetch(at + chunk_bytes);
        const Chunk& chunk = chunks_[static_cast<std::size_t>(at / chunk_bytes % n_chunks)];
        check_cuda(cudaEventSynchronize(chunk.moved), "waiting for a copy");
        copy_on_host(to + at, chunk.data, std::min(chunk_bytes, bytes - at));
    }
}

}  // namespace stiefel
