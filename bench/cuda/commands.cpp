#include "bench/cuda/commands.hpp"

#include "bench/listing.hpp"
#include "stiefel/core/error.hpp"

#include <fmt/format.h>

#include <array>

namespace stiefel::bench {

std::span<const Command> cuda_commands() {
    static constexpr std::array list{
        Command{"spmv", "[--type double|single] [--folder FOLDER] [PART OF A PROBLEM'S NAME]",
                "every rung beside cuSPARSE, and the conversions; for a folder of .mtx files the best of both",
                run_cuda_spmv, "cuda"},
        Command{"spmm", "[--type double|single] [--folder FOLDER] [PART OF A PROBLEM'S NAME]",
                "every rung beside cuSPARSE, 8 and 32 columns; for a folder of .mtx files the best of both, 8 columns",
                run_cuda_spmm, "cuda"},
        Command{"spgemm", "[PROBLEM SIZE ...]", "A A and P'(A P) of multigrid, beside cuSPARSE (poisson3d 100)",
                run_cuda_spgemm, "cuda"},
        Command{"triangular", "[--type double|single] [FILE.mtx | PROBLEM SIZE ...]",
                "L^-T L^-1 r with the factor of IC(0): every rung beside cuSPARSE (poisson3d 100)", run_cuda_triangular,
                "cuda"},
        Command{"cg", "[PART OF A PROBLEM'S NAME]", "conjugate gradients, per iteration, beside cuSPARSE with cuBLAS",
                run_cuda_cg, "cuda"},
        Command{"crossover", "", "where the resident CG ends to be faster than the graph: 5-point n^2, per iteration",
                run_crossover, "cuda"},
    };
    return list;
}

void list_cuda_kernels() {
    try {
        const Cuda backend;
        list_cuda_spmv(backend);
        fmt::print("spmm\n");
        list_cuda_spmm(backend);
        fmt::print("triangular\n");
        list_cuda_triangular(backend);
    } catch (const Error& error) {
        fmt::print("  cuda: {}\n", error.what());
    }
}

}  // namespace stiefel::bench
