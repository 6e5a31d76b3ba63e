#pragma once

#include "bench/command.hpp"
#include "stiefel/core/cuda.hpp"

namespace stiefel::bench {

// The figures of docs/performance.md on a device, with cuSPARSE and cuBLAS beside them.

int run_cuda_spmv(const std::vector<std::string>& arguments);
int run_cuda_spmm(const std::vector<std::string>& arguments);
int run_cuda_spgemm(const std::vector<std::string>& arguments);
int run_cuda_triangular(const std::vector<std::string>& arguments);
int run_cuda_cg(const std::vector<std::string>& arguments);
int run_crossover(const std::vector<std::string>& arguments);

/// All rungs on CUDA, one a line.
void list_cuda_spmv(const Cuda& backend);
void list_cuda_spmm(const Cuda& backend);
void list_cuda_triangular(const Cuda& backend);

}  // namespace stiefel::bench
