#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

#include <string>

namespace stiefel::bench {

/// The ladders of SpMM on a device for one matrix and panels of k columns as a table, cuSPARSE's algorithms beside
/// them. Each result is compared with the serial kernel's first; a wrong one is said to be wrong and its time does not
/// count.
template <class T>
void bench_spmm(Cuda& backend, OpenMP& host, double bandwidth, const std::string& name, const HostCsr<T>& a, Index k);

/// Our best rung, our default and cuSPARSE's best for every matrix in a folder, and the geometric means of their
/// ratios.
void bench_spmm_matrices(Cuda& backend, OpenMP& host, const std::string& folder, Index k);

/// All rungs of SpMM on CUDA, one a line.
void list_cuda_spmm(const Cuda& backend);

}  // namespace stiefel::bench
