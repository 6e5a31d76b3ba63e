#pragma once

#include "stiefel/core/memory.hpp"

namespace stiefel {

class Cuda;

/// Bytes of the largest cache of this machine's first core (0 where it cannot be told).
Size last_level_cache_bytes();

/// An array that is read at the highest rate the machine allows: every thread sums its share as eight streams in turn,
/// 256 bytes of each, with independent vector accumulators. One stream a thread is not enough: the prefetchers follow a
/// stream at about two thirds of what a core can load. The array must exceed the caches to measure memory.
class ReadProbe {
public:
    ReadProbe(int threads, Size bytes);

    /// Reads all of it once. Throws Error if the memory does not hold what was written.
    void read() const;
    Size bytes() const { return values_.bytes(); }

private:
    int threads_;
    HostVector<double> values_;
};

/// Measured memory read bandwidth in bytes per second: the best of a few passes over `bytes` bytes.
double read_bandwidth(int threads, Size bytes);

/// Copy bandwidth of a device in bytes per second, bytes read and written both counted: the median of a few copies of
/// `bytes` bytes. What every fraction of bandwidth on this backend refers to.
double copy_bandwidth(const Cuda& backend, Size bytes = Size{1} << 30);

}  // namespace stiefel
