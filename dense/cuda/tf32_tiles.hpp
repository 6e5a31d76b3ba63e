#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/dense/gemm_kernels.hpp"

namespace stiefel::cuda {

/// An operand as warpgroup products read it: its lines along k, rounded to tf32 and filled up with zeros, in tiles of
/// 128 lines by 32 elements that are contiguous and lie as they are to lie in shared memory: chunk c (16 bytes) of line
/// r at place c xor (r mod 8). Tiles follow each other along k.
class Tf32Tiles {
public:
    static constexpr int lines = 128;
    static constexpr int depth = 32;
    static constexpr int bytes = lines * depth * static_cast<int>(sizeof(float));

    /// Of n_lines lines of k elements, filled up to a multiple of `multiple` tiles of lines: one pass over the operand.
    Tf32Tiles(Cuda& backend, const float* data, Size line_stride, Size k_stride, Index n_lines, Index k, int multiple);

    const float* data() const { return tiles_.data(); }
    int across() const { return across_; }  ///< tiles of lines
    int along() const { return along_; }    ///< tiles along k

private:
    DeviceVector<float> tiles_;
    int across_;
    int along_;
};

}  // namespace stiefel::cuda
