#pragma once

namespace stiefel {

/// The thread blocks of a cluster, which see each other's shared memory; from compute capability 9.0. Before it, and in
/// kernels started without clusters, a block is alone.
struct BlockCluster {
    __device__ static int size() {
        unsigned n = 1;
#if __CUDA_ARCH__ >= 900
        asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
#endif
        return static_cast<int>(n);
    }
    __device__ static int rank() {
        unsigned rank = 0;
#if __CUDA_ARCH__ >= 900
        asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
        return static_cast<int>(rank);
    }

    /// All threads of all blocks of the cluster wait for each other; what they wrote before is seen after.
    __device__ static void synchronize() {
#if __CUDA_ARCH__ >= 900
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
        __syncthreads();
#endif
    }

    /// The variable in shared memory of the block of that rank.
    template <class T>
    __device__ static T* of_rank(T* shared, int rank) {
#if __CUDA_ARCH__ >= 900
        unsigned long long there = 0;
        asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(reinterpret_cast<unsigned long long>(shared)), "r"(rank));
        return reinterpret_cast<T*>(there);
#else
        return shared;
#endif
    }
};

}  // namespace stiefel
