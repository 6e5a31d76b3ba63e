#include "stiefel/preconditioner/amg/cuda/nodes.hpp"

#include "stiefel/core/cuda/early/multigrid.cuh"
#include "stiefel/core/cuda/row_lanes.cuh"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

#include <array>

namespace stiefel::amg {

namespace {

constexpr std::array<Index, 3> candidates{6, 3, 2};

/// Whether rows first and second are coupled to the same nodes.
__device__ bool have_same_nodes(const cuda::CsrView<double>& a, Size first, Size second, Index components) {
    Size k = a.row_ptr[first], l = a.row_ptr[second];
    const Size k_end = a.row_ptr[first + 1], l_end = a.row_ptr[second + 1];
    while (k < k_end && l < l_end) {
        const Index node = a.col_idx[k] / components;
        if (a.col_idx[l] / components != node) return false;
        while (k < k_end && a.col_idx[k] / components == node) ++k;
        while (l < l_end && a.col_idx[l] / components == node) ++l;
    }
    return k == k_end && l == l_end;
}

/// Counts the groups of rows that are coupled to the same nodes; a row of each group against its first by a thread.
__global__ void same_nodes_kernel(cuda::CsrView<double> a, Index components, unsigned* n_same) {
    const Size node = RowLanes<1>().row;
    bool all = node < a.n_rows / components;
    for (Index c = 1; c < components && all; ++c) {
        all = have_same_nodes(a, node * components, node * components + c, components);
    }
    const int same = __syncthreads_count(all);
    if (threadIdx.x == 0 && same > 0) atomicAdd(n_same, static_cast<unsigned>(same));
}

}  // namespace

Index find_components(Cuda& backend, const DeviceCsr<double>& a, const LevelFacts& facts) {
    constexpr double least_positive = 0.5, least_same = 0.9;
    if (facts.n_coupled == 0 || facts.n_positive < least_positive * facts.n_coupled) return 1;
    DeviceVector<unsigned> n_same(backend, candidates.size());
    backend.zero_bytes(n_same.data(), n_same.bytes());
    for (std::size_t c = 0; c < candidates.size(); ++c) {
        if (a.n_rows % candidates[c] != 0) continue;
        same_nodes_kernel<<<RowLanes<1>::blocks(a.n_rows / candidates[c]), row_threads, 0, backend.stream()>>>(
            cuda::CsrView<double>(a), candidates[c], n_same.data() + c);
    }
    check_cuda(cudaGetLastError(), "looking for nodes of several unknowns");
    HostVector<unsigned> same(n_same.size());
    download(backend, n_same, same);
    for (std::size_t c = 0; c < candidates.size(); ++c) {
        const Index n_nodes = a.n_rows / candidates[c];
        if (a.n_rows % candidates[c] == 0 && same[static_cast<Size>(c)] > least_same * n_nodes) return candidates[c];
    }
    return 1;
}

}  // namespace stiefel::amg
