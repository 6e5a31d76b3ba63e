// PETSc's conjugate gradients with Jacobi, on the ranks that mpirun gives; rows are split evenly. What an iteration
// takes is "solve" by "iterations":  mpirun -np 2 peer_petsc A.mtx [options of PETSc]
#include "bench/peers/system.hpp"

#include <petscksp.h>

#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <vector>

namespace {

void check(PetscErrorCode code) {
    if (code != 0) throw std::runtime_error("PETSc ends with error " + std::to_string(code));
}

/// The rows of one rank, in memory that PETSc's vectors stay in.
class Share {
public:
    Share(const stiefel::bench::System& system, int rank, int ranks) : n_(system.a.n_rows) {
        first_ = static_cast<PetscInt>(std::int64_t{n_} * rank / ranks);
        count_ = static_cast<PetscInt>(std::int64_t{n_} * (rank + 1) / ranks) - first_;
        const auto* const offsets = system.row_ptr() + first_;
        for (PetscInt i = 0; i <= count_; ++i) row_ptr_.push_back(offsets[i] - offsets[0]);
        columns_.assign(system.a.col_idx.data() + offsets[0], system.a.col_idx.data() + offsets[count_]);
        values_ = system.a.values.data() + offsets[0];
        b_ = system.b.data() + first_;
    }

    Mat matrix() const {
        Mat a = nullptr;
        check(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, count_, count_, n_, n_, row_ptr_.data(), columns_.data(),
                                        values_, &a));
        return a;
    }
    Vec rhs() const {
        Vec b = nullptr;
        check(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, count_, n_, b_, &b));
        return b;
    }

private:
    PetscInt n_, first_ = 0, count_ = 0;
    std::vector<PetscInt> row_ptr_, columns_;
    const double* values_ = nullptr;
    const double* b_ = nullptr;
};

/// The true residual of the x that all ranks have a share of.
double residual_of(const stiefel::bench::System& system, Vec x) {
    VecScatter to_all = nullptr;
    Vec all = nullptr;
    check(VecScatterCreateToAll(x, &to_all, &all));
    check(VecScatterBegin(to_all, x, all, INSERT_VALUES, SCATTER_FORWARD));
    check(VecScatterEnd(to_all, x, all, INSERT_VALUES, SCATTER_FORWARD));
    const double* values = nullptr;
    check(VecGetArrayRead(all, &values));
    const double residual = system.residual(values);
    check(VecRestoreArrayRead(all, &values));
    check(VecScatterDestroy(&to_all));
    check(VecDestroy(&all));
    return residual;
}

KSP conjugate_gradients(Mat a) {
    KSP cg = nullptr;
    PC jacobi = nullptr;
    check(KSPCreate(PETSC_COMM_WORLD, &cg));
    check(KSPSetOperators(cg, a, a));
    check(KSPSetType(cg, KSPCG));
    check(KSPGetPC(cg, &jacobi));
    check(PCSetType(jacobi, PCJACOBI));
    check(KSPSetNormType(cg, KSP_NORM_UNPRECONDITIONED));
    check(KSPSetTolerances(cg, stiefel::bench::tolerance, PETSC_DEFAULT, PETSC_DEFAULT, 100000));
    check(KSPSetInitialGuessNonzero(cg, PETSC_TRUE));
    check(KSPSetFromOptions(cg));
    check(KSPSetUp(cg));
    return cg;
}

void run(const stiefel::bench::System& system) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    const Share share(system, rank, ranks);
    Mat a = share.matrix();
    Vec b = share.rhs(), x = nullptr;
    check(VecDuplicate(b, &x));
    check(VecSet(x, 0));

    MPI_Barrier(PETSC_COMM_WORLD);
    stiefel::Stopwatch watch;
    KSP cg = conjugate_gradients(a);
    MPI_Barrier(PETSC_COMM_WORLD);
    const double setup = watch.restart();
    double solve = 0, residual = 1;
    long iterations = 0;
    for (int k = 0; k < stiefel::bench::most_runs && !(residual <= stiefel::bench::tolerance); ++k) {
        MPI_Barrier(PETSC_COMM_WORLD);
        watch.restart();
        check(KSPSolve(cg, b, x));
        MPI_Barrier(PETSC_COMM_WORLD);
        solve += watch.seconds();
        PetscInt more = 0;
        check(KSPGetIterationNumber(cg, &more));
        iterations += more;
        residual = residual_of(system, x);
        if (more == 0) break;
    }
    if (rank == 0) stiefel::bench::print_result(setup, solve, iterations, residual);
    check(KSPDestroy(&cg));
    check(VecDestroy(&x));
    check(VecDestroy(&b));
    check(MatDestroy(&a));
}

}  // namespace

int main(int argc, char** argv) try {
    check(PetscInitialize(&argc, &argv, nullptr, nullptr));
    if (argc < 2) throw std::runtime_error("usage: peer_petsc A.mtx [options of PETSc]");
    run(stiefel::bench::System(argv[1]));
    check(PetscFinalize());
} catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return 1;
}
