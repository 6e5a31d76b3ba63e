#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/dense/gemm_kernels.hpp"

namespace stiefel::cuda {

template <class T>
void gemm_naive(Cuda& backend, const GemmArguments<T>& g, const GemmTuning& tuning);
template <class T>
void gemm_tiled(Cuda& backend, const GemmArguments<T>& g, const GemmTuning& tuning);
template <class T>
void gemm_register(Cuda& backend, const GemmArguments<T>& g, const GemmTuning& tuning);
template <class T>
void gemm_pipelined(Cuda& backend, const GemmArguments<T>& g, const GemmTuning& tuning);
void gemm_tensor(Cuda& backend, const GemmArguments<double>& g, const GemmTuning& tuning);
void gemm_tf32(Cuda& backend, const GemmArguments<float>& g, const GemmTuning& tuning);

/// For devices of compute capability 9 alone.
void gemm_warpgroup(Cuda& backend, const GemmArguments<float>& g, const GemmTuning& tuning);

template <>
void gemm_pipelined(Cuda& backend, const GemmArguments<float>& g, const GemmTuning& tuning);
template <>
void gemm_pipelined(Cuda& backend, const GemmArguments<double>& g, const GemmTuning& tuning);

}  // namespace stiefel::cuda
