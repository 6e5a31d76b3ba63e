#include "bench/block_cg.hpp"
#include "bench/cg.hpp"
#include "bench/command.hpp"
#include "bench/gemm.hpp"
#include "bench/panel.hpp"
#include "bench/read.hpp"
#include "bench/spgemm.hpp"
#include "bench/spmm.hpp"
#include "bench/spmv.hpp"
#include "bench/transpose.hpp"

#include <array>

namespace stiefel::bench {

std::span<const Command> commands() {
    static constexpr std::array list{
        Command{"spmv", "[--threads N] [PROBLEM SIZE ...]",
                "every rung of the SpMV ladders against Eigen (poisson3d 160)", run_spmv, "host"},
        Command{"spmm", "[--columns K] [--threads N] [PROBLEM SIZE ...]",
                "every rung of the SpMM ladders against Eigen and as many SpMVs (8 columns, poisson3d 128)", run_spmm,
                "host"},
        Command{"spgemm", "[--threads N] [PROBLEM SIZE ...]",
                "products of sparse matrices, A A and P'(A P) of multigrid, against Eigen (poisson3d 100)", run_spgemm,
                "host"},
        Command{"convert", "[--threads N] [PROBLEM SIZE ...]",
                "conversions between the formats, in products with the same matrix (poisson3d 160)", run_convert},
        Command{"cg", "[--threads N] [PROBLEM SIZE ...]",
                "conjugate gradients without preconditioner, per iteration, against Eigen (poisson3d 160)", run_cg,
                "host"},
        Command{"block-cg", "[--backend host|cuda] [--threads N] [--columns K]... [--repetitions N] [PROBLEM SIZE ...]",
                "many right-hand sides in one block against one after another (poisson3d 100, 8 columns)",
                run_block_cg},
        Command{"read", "FILE [THREADS [REPETITIONS]]",
                "a Matrix Market file all the way to CSR, as lines of JSON (bench/read_matrix_market.py compares)",
                run_read},
        Command{"gemm",
                "[--backend host|cuda] [--type double|single] [--threads N] [--repetitions N] [--limit SECONDS]\n"
                "                     [--sweep sizes|tiles|schedules] [SIZE ...]",
                "the ladder of matrix products beside OpenBLAS, BLIS and cuBLAS (512 2048)", run_gemm},
        Command{"transpose", "[--backend host|cuda] [--type double|single] [--threads N] [--repetitions N] [SIZE ...]",
                "the ladder of transposes beside a copy and cuBLAS geam (4096)", run_transpose},
        Command{"panel", "[--backend host|cuda] [--type double|single] [--threads N] [--repetitions N] [ROWS ...]",
                "gram and panel_update at widths 1 to 64, as shares of the bandwidth (4000000)", run_panel},
    };
    return list;
}

}  // namespace stiefel::bench
