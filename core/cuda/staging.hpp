#pragma once

#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/openmp.hpp"

#include <array>

namespace stiefel {

/// Page-locked memory that large copies between host and device go through. The device reads and writes such memory at
/// the rate of its bus, pageable memory at a sixth to a third of that, and locking the caller's own pages takes as long
/// as copying them; so threads of the host copy one chunk while the bus moves the other.
class StagingBuffer {
public:
    /// Copies of fewer bytes gain less than the buffer costs.
    static constexpr Size least_bytes = Size{32} << 20;

    StagingBuffer();
    ~StagingBuffer();
    StagingBuffer(const StagingBuffer&) = delete;
    StagingBuffer& operator=(const StagingBuffer&) = delete;

    /// False where the system refuses to lock memory.
    bool is_locked() const { return is_locked_; }

    /// In the order of the stream. upload returns when the source has been read, download when all has arrived.
    void upload(const Cuda& backend, char* to, const char* from, Size bytes);
    void download(const Cuda& backend, char* to, const char* from, Size bytes);

private:
    /// Measured on an H100: 340 MB at 45 GB/s with chunks of 16 MiB and 8 threads, at 28 with chunks of 4 MiB, at 31
    /// with 4 threads; 9 GB/s from pageable memory.
    static constexpr Size chunk_bytes = Size{16} << 20;
    static constexpr int most_threads = 8;
    static constexpr int n_chunks = 2;

    struct Chunk {
        char* data = nullptr;
        cudaEvent_t moved = nullptr;  ///< the bus is done with it
    };
    void copy_on_host(char* to, const char* from, Size bytes) const;

    OpenMP host_;
    HostVector<char> memory_;
    std::array<Chunk, n_chunks> chunks_{};
    bool is_locked_ = false;
};

}  // namespace stiefel
