// BoomerAMG (HMIS, extended+i interpolation) under hypre's conjugate gradients, on the ranks that mpirun gives; rows
// are split evenly:  peer_hypre A.mtx [STRENGTH [AGGRESSIVE_LEVELS [UNKNOWNS_A_NODE]]]
#include "bench/peers/system.hpp"

#include <HYPRE.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace {

/// The rows of one rank.
struct Share {
    int first, count;
    std::vector<int> rows;
    explicit Share(int n, int rank, int ranks)
        : first(static_cast<int>(std::int64_t{n} * rank / ranks)),
          count(static_cast<int>(std::int64_t{n} * (rank + 1) / ranks) - first),
          rows(static_cast<std::size_t>(count)) {
        for (int i = 0; i < count; ++i) rows[static_cast<std::size_t>(i)] = first + i;
    }
    int last() const { return first + count - 1; }
};

HYPRE_IJVector vector_of(const Share& share, const double* values) {
    HYPRE_IJVector v;
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, share.first, share.last(), &v);
    HYPRE_IJVectorSetObjectType(v, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(v);
    HYPRE_IJVectorSetValues(v, share.count, share.rows.data(), values);
    HYPRE_IJVectorAssemble(v);
    return v;
}

HYPRE_IJMatrix matrix_of(const stiefel::bench::System& system, const Share& share) {
    HYPRE_IJMatrix m;
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, share.first, share.last(), share.first, share.last(), &m);
    HYPRE_IJMatrixSetObjectType(m, HYPRE_PARCSR);
    std::vector<int> lengths(share.rows.size());
    const auto* const offsets = system.row_ptr() + share.first;
    for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = offsets[i + 1] - offsets[i];
    HYPRE_IJMatrixSetRowSizes(m, lengths.data());
    HYPRE_IJMatrixInitialize(m);
    HYPRE_IJMatrixSetValues(m, share.count, lengths.data(), share.rows.data(), system.a.col_idx.data() + offsets[0],
                            system.a.values.data() + offsets[0]);
    HYPRE_IJMatrixAssemble(m);
    return m;
}

struct Setting {
    double strength = 0.25;
    int aggressive_levels = 0;
    int functions = 1;  // unknowns a node, one after the other: multigrid connects each with its own kind alone
};

HYPRE_Solver boomer_amg(const Setting& setting) {
    HYPRE_Solver amg;
    HYPRE_BoomerAMGCreate(&amg);
    HYPRE_BoomerAMGSetPrintLevel(amg, 0);
    HYPRE_BoomerAMGSetCoarsenType(amg, 10);
    HYPRE_BoomerAMGSetInterpType(amg, 6);
    HYPRE_BoomerAMGSetPMaxElmts(amg, 4);
    HYPRE_BoomerAMGSetStrongThreshold(amg, setting.strength);
    HYPRE_BoomerAMGSetAggNumLevels(amg, setting.aggressive_levels);
    HYPRE_BoomerAMGSetNumFunctions(amg, setting.functions);
    HYPRE_BoomerAMGSetRelaxType(amg, 8);
    HYPRE_BoomerAMGSetTol(amg, 0);
    HYPRE_BoomerAMGSetMaxIter(amg, 1);
    return amg;
}

/// The true residual of the x that all ranks have a share of.
double residual_of(const stiefel::bench::System& system, const Share& share, HYPRE_IJVector x, int ranks) {
    std::vector<double> own(share.rows.size()), all(static_cast<std::size_t>(system.a.n_rows));
    std::vector<int> counts, firsts;
    for (int rank = 0; rank < ranks; ++rank) {
        const Share other(system.a.n_rows, rank, ranks);
        counts.push_back(other.count);
        firsts.push_back(other.first);
    }
    HYPRE_IJVectorGetValues(x, share.count, share.rows.data(), own.data());
    MPI_Allgatherv(own.data(), share.count, MPI_DOUBLE, all.data(), counts.data(), firsts.data(), MPI_DOUBLE,
                   MPI_COMM_WORLD);
    return system.residual(all.data());
}

void run(const stiefel::bench::System& system, const Setting& setting) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const Share share(system.a.n_rows, rank, ranks);
    void* object = nullptr;
    HYPRE_IJMatrixGetObject(matrix_of(system, share), &object);
    const auto a = static_cast<HYPRE_ParCSRMatrix>(object);
    HYPRE_IJVectorGetObject(vector_of(share, system.b.data() + share.first), &object);
    const auto b = static_cast<HYPRE_ParVector>(object);
    const std::vector<double> zeros(share.rows.size(), 0.0);
    const HYPRE_IJVector solution = vector_of(share, zeros.data());
    HYPRE_IJVectorGetObject(solution, &object);
    const auto x = static_cast<HYPRE_ParVector>(object);

    MPI_Barrier(MPI_COMM_WORLD);
    stiefel::Stopwatch watch;
    const HYPRE_Solver amg = boomer_amg(setting);
    HYPRE_Solver cg;
    HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &cg);
    HYPRE_PCGSetTol(cg, stiefel::bench::tolerance);
    HYPRE_PCGSetMaxIter(cg, 5000);
    HYPRE_PCGSetTwoNorm(cg, 1);
    HYPRE_PCGSetPrecond(cg, reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSolve),
                        reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSetup), amg);
    HYPRE_ParCSRPCGSetup(cg, a, b, x);
    MPI_Barrier(MPI_COMM_WORLD);
    const double setup = watch.restart();
    double solve = 0, residual = 1;
    long iterations = 0;
    for (int k = 0; k < stiefel::bench::most_runs && !(residual <= stiefel::bench::tolerance); ++k) {
        MPI_Barrier(MPI_COMM_WORLD);
        watch.restart();
        HYPRE_ParCSRPCGSolve(cg, a, b, x);
        MPI_Barrier(MPI_COMM_WORLD);
        solve += watch.seconds();
        HYPRE_Int more = 0;
        HYPRE_PCGGetNumIterations(cg, &more);
        iterations += more;
        residual = residual_of(system, share, solution, ranks);
        if (more == 0) break;
    }
    if (rank == 0) stiefel::bench::print_result(setup, solve, iterations, residual);
}

}  // namespace

int main(int argc, char** argv) try {
    MPI_Init(&argc, &argv);
    HYPRE_Init();
    Setting setting;
    if (argc > 2) setting.strength = std::atof(argv[2]);
    if (argc > 3) setting.aggressive_levels = std::atoi(argv[3]);
    if (argc > 4) setting.functions = std::atoi(argv[4]);
    run(stiefel::bench::System(argv[1]), setting);
    HYPRE_Finalize();
    MPI_Finalize();
} catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return 1;
}
