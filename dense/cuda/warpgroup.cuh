#pragma once

#include "stiefel/dense/cuda/ptx.cuh"

#include <cstdint>

// What Hopper (sm_90a) has for matrix kernels and CUDA C++ has no names for: barriers that count bytes, bulk copies,
// products of a whole warpgroup, pairs of blocks.

namespace stiefel::cuda {

__device__ inline unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/// A barrier in shared memory. A phase ends once `count` arrivals and all bytes that are expected have come.
struct Barrier {
    std::uint64_t state;

    __device__ void init(int count) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(this)), "r"(count) : "memory");
    }

    /// Arrives, and makes the phase wait for `bytes` that copies bring.
    __device__ void arrive_and_expect(int bytes) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(this)), "r"(bytes)
                     : "memory");
    }

    /// Arrives at the barrier that lies at this place in block `rank` of the cluster.
    __device__ void arrive_at(unsigned rank) {
        asm volatile(
            "{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\n"
            "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}" ::"r"(shared_address(this)),
            "r"(rank)
            : "memory");
    }

    /// Waits for the end of the phase of this parity; the first has parity 0.
    __device__ void wait(int parity) {
        unsigned done = 0;
        while (done == 0) {
            asm volatile(
                "{\n.reg .pred done;\nmbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
                "selp.u32 %0, 1, 0, done;\n}"
                : "=r"(done)
                : "r"(shared_address(this)), "r"(parity)
                : "memory");
        }
    }
};

/// Barriers that were made by one thread become known to the other blocks of the cluster.
__device__ inline void publish_barriers() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ inline unsigned cluster_rank() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/// All threads of all blocks of the cluster.
__device__ inline void synchronize_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/// One thread starts a copy of `bytes` contiguous bytes, a multiple of 16, that are counted by `arrived`.
__device__ inline void copy_bulk(void* to, const void* from, int bytes, Barrier& arrived) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(&arrived))
                 : "memory");
}

/// The same into the same place of every block of the cluster whose bit is set, each with its own barrier.
__device__ inline void copy_bulk_to(std::uint16_t ranks, void* to, const void* from, int bytes, Barrier& arrived) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], "
        "%4;" ::"r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(&arrived)), "h"(ranks)
        : "memory");
}

/// How the matrix units find an operand in shared memory: rows of 128 bytes along k, the 16-byte chunk c of row r at
/// place c xor (r mod 8), groups of 8 rows 1024 bytes apart; begins at a multiple of 1024 bytes. 32 bytes further along
/// k are 2 more.
__device__ inline std::uint64_t swizzled_operand(const void* tile) {
    constexpr std::uint64_t group_stride = 1024 >> 4;
    constexpr std::uint64_t swizzle_128_bytes = 1;
    return (shared_address(tile) >> 4) | 1ULL << 16 | group_stride << 32 | swizzle_128_bytes << 62;
}

/// Before the first product: registers that the products are to read have been written.
__device__ inline void begin_products() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/// Closes the group of products started since the last call.
__device__ inline void commit_products() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Waits until at most `pending` groups are unfinished.
template <int pending>
__device__ void wait_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

/// A warpgroup's product of a 64 x 8 and an 8 x 256 tile of tf32, both along k, onto 64 x 256. With g = lane / 4 and
/// t = lane % 4, warp w holds of columns 8 j..: sum[4 j], sum[4 j + 1]: (16 w + g, 2 t), (16 w + g, 2 t + 1), and
/// sum[4 j + 2], sum[4 j + 3] the same 8 rows further down.
__device__ inline void multiply_64x256x8(float (&sum)[128], std::uint64_t a, std::uint64_t b) {
    asm volatile(
        "{\n.reg .pred accumulate;\nsetp.eq.u32 accumulate, 0, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
        "%128, %129, accumulate, 1, 1;\n}"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]), "+f"(sum[6]),
          "+f"(sum[7]), "+f"(sum[8]), "+f"(sum[9]), "+f"(sum[10]), "+f"(sum[11]), "+f"(sum[12]), "+f"(sum[13]),
          "+f"(sum[14]), "+f"(sum[15]), "+f"(sum[16]), "+f"(sum[17]), "+f"(sum[18]), "+f"(sum[19]), "+f"(sum[20]),
          "+f"(sum[21]), "+f"(sum[22]), "+f"(sum[23]), "+f"(sum[24]), "+f"(sum[25]), "+f"(sum[26]), "+f"(sum[27]),
          "+f"(sum[28]), "+f"(sum[29]), "+f"(sum[30]), "+f"(sum[31]), "+f"(sum[32]), "+f"(sum[33]), "+f"(sum[34]),
          "+f"(sum[35]), "+f"(sum[36]), "+f"(sum[37]), "+f"(sum[38]), "+f"(sum[39]), "+f"(sum[40]), "+f"(sum[41]),
          "+f"(sum[42]), "+f"(sum[43]), "+f"(sum[44]), "+f"(sum[45]), "+f"(sum[46]), "+f"(sum[47]), "+f"(sum[48]),
          "+f"(sum[49]), "+f"(sum[50]), "+f"(sum[51]), "+f"(sum[52]), "+f"(sum[53]), "+f"(sum[54]), "+f"(sum[55]),
          "+f"(sum[56]), "+f"(sum[57]), "+f"(sum[58]), "+f"(sum[59]), "+f"(sum[60]), "+f"(sum[61]), "+f"(sum[62]),
          "+f"(sum[63]), "+f"(sum[64]), "+f"(sum[65]), "+f"(sum[66]), "+f"(sum[67]), "+f"(sum[68]), "+f"(sum[69]),
          "+f"(sum[70]), "+f"(sum[71]), "+f"(sum[72]), "+f"(sum[73]), "+f"(sum[74]), "+f"(sum[75]), "+f"(sum[76]),
          "+f"(sum[77]), "+f"(sum[78]), "+f"(sum[79]), "+f"(sum[80]), "+f"(sum[81]), "+f"(sum[82]), "+f"(sum[83]),
          "+f"(sum[84]), "+f"(sum[85]), "+f"(sum[86]), "+f"(sum[87]), "+f"(sum[88]), "+f"(sum[89]), "+f"(sum[90]),
          "+f"(sum[91]), "+f"(sum[92]), "+f"(sum[93]), "+f"(sum[94]), "+f"(sum[95]), "+f"(sum[96]), "+f"(sum[97]),
          "+f"(sum[98]), "+f"(sum[99]), "+f"(sum[100]), "+f"(sum[101]), "+f"(sum[102]), "+f"(sum[103]), "+f"(sum[104]),
          "+f"(sum[105]), "+f"(sum[106]), "+f"(sum[107]), "+f"(sum[108]), "+f"(sum[109]), "+f"(sum[110]),
          "+f"(sum[111]), "+f"(sum[112]), "+f"(sum[113]), "+f"(sum[114]), "+f"(sum[115]), "+f"(sum[116]),
          "+f"(sum[117]), "+f"(sum[118]), "+f"(sum[119]), "+f"(sum[120]), "+f"(sum[121]), "+f"(sum[122]),
          "+f"(sum[123]), "+f"(sum[124]), "+f"(sum[125]), "+f"(sum[126]), "+f"(sum[127])
        : "l"(a), "l"(b));
}

/// What the registers hold after all products are awaited; before, the compiler may think it knows.
__device__ inline void settle(float (&sum)[128]) {
#pragma unroll
    for (float& s : sum) asm volatile("" : "+f"(s)::"memory");
}

}  // namespace stiefel::cuda
