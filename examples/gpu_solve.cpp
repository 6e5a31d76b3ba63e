// From triplets to x, on a GPU where there is one: heat in a square plate whose edge is kept cold.
#include "stiefel/core/backend.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/matrix_builder.hpp"

#include <iostream>

using namespace stiefel;

int solve_on(auto& backend) {
    constexpr Index side = 100, n = side * side;
    MatrixBuilder<double> builder(n, n, Symmetry::symmetric);  // one triangle says it all
    for (Index i = 0; i < side; ++i) {
        for (Index j = 0; j < side; ++j) {
            const Index row = i * side + j;
            builder.add(row, row, 4);
            if (i > 0) builder.add(row, row - side, -1);
            if (j > 0) builder.add(row, row - 1, -1);
        }
    }
    const auto a = builder.build(backend);  // here as in all that follows, in the backend's memory

    auto b = make_vector<double>(backend, n);
    auto x = make_vector<double>(backend, n);
    fill(backend, 1.0, b);
    fill(backend, 0.0, x);
    const SolveResult result = cg(backend, a, b, x, {.rtol = 1e-10});

    HostVector<double> solution(n);
    download(backend, x, solution);
    std::cout << backend.name << ": " << to_string(result.reason) << " in " << result.iterations << " iterations, "
              << result.seconds << " s; in the middle x = " << solution[side / 2 * side + side / 2] << '\n';
    return result.reason == StopReason::converged ? 0 : 1;
}

int main() {
    return with_backend({}, [](auto& backend) {
        if (backend.name != Cuda::name) std::cout << "no CUDA device here: the cores of this machine do it\n";
        return solve_on(backend);
    });
}
