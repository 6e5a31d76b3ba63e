#include "bench/cg.hpp"
#include "bench/command.hpp"
#include "bench/read.hpp"

#include <array>

namespace stiefel::bench {

std::span<const Command> commands() {
    static constexpr std::array list{
        Command{"cg", "[--threads N] [PROBLEM SIZE ...]",
                "conjugate gradients without preconditioner, per iteration, against Eigen (poisson3d 160)", run_cg},
        Command{"read", "FILE [THREADS [REPETITIONS]]",
                "a Matrix Market file all the way to CSR, as lines of JSON (bench/read_matrix_market.py compares)",
                run_read},
    };
    return list;
}

}  // namespace stiefel::bench
