#include "stiefel/core/cuda/check.hpp"
#include "stiefel/dense/cuda/ptx.cuh"
#include "stiefel/dense/cuda/tf32_tiles.hpp"
#include "stiefel/dense/cuda/tiles.cuh"

namespace stiefel::cuda {

namespace {

constexpr int lines = Tf32Tiles::lines;
constexpr int depth = Tf32Tiles::depth;
constexpr int threads = 256;
constexpr int warps = threads / 32;

struct Source {
    const float* data;
    Size line_stride, k_stride;
    Index n_lines, k;

    __device__ float at(Size line, Size p) const {
        return line < n_lines && p < k ? matrix_operand(__ldg(data + line * line_stride + p * k_stride)) : 0.0F;
    }
};

/// A block a tile. A warp writes a line at a time, lane p its p-th element. Lines that are contiguous are read as they
/// are written; of others a warp reads 32 neighbours at a time, turned in shared memory (one word of padding: neither
/// side meets in a bank).
template <bool contiguous_lines>
__global__ __launch_bounds__(threads) void pack_kernel(Source source, int along, float* tiles) {
    __shared__ float turned[contiguous_lines ? 1 : depth][lines + 1];
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const Size first_line = Size{blockIdx.x / static_cast<unsigned>(along)} * lines;
    const Size first_k = Size{blockIdx.x % static_cast<unsigned>(along)} * depth;
    float* const tile = tiles + Size{blockIdx.x} * lines * depth;

    float values[lines / warps];
    if constexpr (contiguous_lines) {
#pragma unroll
        for (int i = 0; i < lines / warps; ++i) {
            values[i] = source.at(first_line + i * warps + warp, first_k + lane);
        }
    } else {
#pragma unroll
        for (int i = 0; i < lines / warps; ++i) {  // depth rows of lines / 32 pieces, a piece a warp
            const int piece = i * warps + warp;
            values[i] = source.at(first_line + piece % (lines / 32) * 32 + lane, first_k + piece / (lines / 32));
        }
#pragma unroll
        for (int i = 0; i < lines / warps; ++i) {
            const int piece = i * warps + warp;
            turned[piece / (lines / 32)][piece % (lines / 32) * 32 + lane] = values[i];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < lines / warps; ++i) values[i] = turned[lane][i * warps + warp];
    }
#pragma unroll
    for (int i = 0; i < lines / warps; ++i) {
        const int line = i * warps + warp;
        tile[line * depth + ((lane / 4) ^ (line % 8)) * 4 + lane % 4] = values[i];
    }
}

}  // namespace

Tf32Tiles::Tf32Tiles(Cuda& backend, const float* data, Size line_stride, Size k_stride, Index n_lines, Index k,
                     int multiple)
    : across_(static_cast<int>(tiles_across(n_lines, Size{lines} * multiple)) * multiple),
      along_(static_cast<int>(tiles_across(k, depth))) {
    const Size tiles = Size{across_} * along_;
    require(tiles <= std::numeric_limits<Index>::max(), "gemm: an operand has more than 2^31 - 1 tiles of 128 x 32");
    tiles_ = DeviceVector<float>(backend, tiles * lines * depth);
    if (tiles == 0) return;
    const Source source{data, line_stride, k_stride, n_lines, k};
    const auto kernel = k_stride == 1 ? pack_kernel<true> : pack_kernel<false>;
    kernel<<<static_cast<unsigned>(tiles), threads, 0, backend.stream()>>>(source, along_, tiles_.data());
    check_cuda(cudaGetLastError(), "packing an operand in tf32");
}

}  // namespace stiefel::cuda
