#include "bench/cg.hpp"
#include "bench/command.hpp"

#include <array>

namespace stiefel::bench {

std::span<const Command> commands() {
    static constexpr std::array list{
        Command{"cg", "[--threads N] [PROBLEM SIZE ...]",
                "conjugate gradients without preconditioner, per iteration, against Eigen (poisson3d 160)", run_cg},
    };
    return list;
}

}  // namespace stiefel::bench
