#pragma once

#include "support/cuda.hpp"
#include "support/matrices.hpp"
#include "support/streamed_room.hpp"

#include "stiefel/solver/cg.hpp"
#include "stiefel/solver/factored_loop.hpp"
#include "stiefel/spmv/operator.hpp"
#include "stiefel/spmv/spmv.hpp"
#include "stiefel/spmv/spmv_work.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stiefel::test {

/// A matrix on the device that set_resident() does not know: CG's loop is a graph whatever the size.
template <class T>
struct NeverResident {
    const DeviceCsr<T>& a;
};
template <class T>
void spmv(Cuda& backend, const NeverResident<T>& never_resident, const DeviceVector<T>& x, DeviceVector<T>& y, T alpha,
          T beta) {
    spmv(backend, never_resident.a, x, y, alpha, beta);
}

/// One of whose vectors `stay` elements a row have room in the multiprocessors, of three.
template <class T>
struct PartlyStaying {
    const DeviceCompressedSell<T>& a;
    double stay;
};
template <class T>
void spmv(Cuda& backend, const PartlyStaying<T>& partly, const DeviceVector<T>& x, DeviceVector<T>& y, T alpha,
          T beta) {
    spmv(backend, partly.a, x, y, alpha, beta);
}

template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const PartlyStaying<T>& partly, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    const cuda::StreamedShape shape = shape_with_room(backend, partly.a, partly.stay);
    if (partly.a.n_rows > 0) cuda::set_streamed(backend, step, shape, partly.a, m, x, r, p, state);
}

/// A preconditioner that is known as the product of two sparse matrices.
template <class T>
struct Factors {
    SpmvOperator<Cuda, T> lower, upper;

    SparseFactors<Cuda, T> sparse_factors() const { return {&lower, &upper}; }
    friend void precondition(Cuda& backend, const Factors& m, const DeviceVector<T>& r, DeviceVector<T>& z) {
        DeviceVector<T> middle(backend, r.size());
        spmv(backend, m.lower, r, middle);
        spmv(backend, m.upper, middle, z);
    }
    friend void precondition(Cuda& backend, const Factors& m, MatrixOf<Cuda, const T> r, MatrixOf<Cuda, T> z) {
        DeviceVector<T> middle(backend, Size{r.n_rows} * r.n_cols);
        const MatrixOf<Cuda, T> between{middle.data(), r.n_rows, r.n_cols, r.n_cols};
        spmm(backend, m.lower, r, between);
        spmm(backend, m.upper, MatrixOf<Cuda, const T>(between), z);
    }
};

/// One that is known as a sparse matrix.
template <class T>
struct OneMatrix {
    SpmvOperator<Cuda, T> m;

    SparseFactors<Cuda, T> sparse_factors() const { return {&m}; }
    friend void precondition(Cuda& backend, const OneMatrix& m, const DeviceVector<T>& r, DeviceVector<T>& z) {
        spmv(backend, m.m, r, z);
    }
    friend void precondition(Cuda& backend, const OneMatrix& m, MatrixOf<Cuda, const T> r, MatrixOf<Cuda, T> z) {
        spmm(backend, m.m, r, z);
    }
};

/// Asks for the end from this iteration on.
struct AskAt {
    Size iteration;
    bool operator()(const CgProgress& progress) const { return progress.iteration < iteration; }
};

/// Each way that a device has to run CG's loop: solve(a, inverse_diagonal, b, x, options), as support/cg_ends.hpp has
/// it.
template <class T>
class CudaCgLoops : public OnCuda {
protected:
    template <class Matrix>
    SolveResult run(const Matrix& a, const HostVector<T>& inverse_diagonal, const HostVector<T>& b, HostVector<T>& x,
                    const CgOptions& options) {
        auto device_x = this->to_device(x);
        const auto device_b = this->to_device(b);
        const SolveResult result = inverse_diagonal.empty()
                                       ? cg(this->backend(), a, device_b, device_x, options)
                                       : cg(this->backend(), a, DeviceJacobi<T>{this->to_device(inverse_diagonal)},
                                            device_b, device_x, options);
        x = this->to_host(device_x);
        return result;
    }

    /// Small systems: the loop is one resident kernel.
    auto resident() {
        return [this](const HostCsr<T>& host, const HostVector<T>& inverse_diagonal, const HostVector<T>& b,
                      HostVector<T>& x, const CgOptions& options) {
            return run(stiefel::to_device(this->backend(), host), inverse_diagonal, b, x, options);
        };
    }
    SpmvOperator<Cuda, T> as_operator(const HostCsr<T>& matrix) {
        DeviceCsr<T> a = stiefel::to_device(this->backend(), matrix);
        const auto& kernel = spmv_kernels(this->backend(), a).front();
        return SpmvOperator<Cuda, T>(std::move(a), kernel);
    }
    SpmvOperator<Cuda, T> diagonal(Index n, const HostVector<T>& entries) {
        std::vector<double> all(static_cast<std::size_t>(n), 1.0);
        std::copy(entries.begin(), entries.end(), all.begin());
        return as_operator(diagonal_matrix<T>(all));
    }
    /// make(n, inverse diagonal) is M.
    template <class Make>
    auto with(Make make) {
        return [this, make](const HostCsr<T>& host, const HostVector<T>& inverse_diagonal, const HostVector<T>& b,
                            HostVector<T>& x, const CgOptions& options) {
            const auto m = make(host.n_rows, inverse_diagonal);
            auto device_x = this->to_device(x);
            const SolveResult result = cg(this->backend(), as_operator(host), m, this->to_device(b), device_x, options);
            x = this->to_host(device_x);
            return result;
        };
    }
    /// The loop is one kernel that multiplies by the factors of a preconditioner, where it has them,
    auto factored() {
        return [this](const HostCsr<T>& host, const HostVector<T>& inverse_diagonal, const HostVector<T>& b,
                      HostVector<T>& x, const CgOptions& options) {
            HostVector<T> roots = inverse_diagonal.clone();
            for (T& root : roots) {
                if (root < T{0}) return of_one_matrix()(host, inverse_diagonal, b, x, options);
                root = std::sqrt(root);
            }
            const auto solve = with([&](Index n, const HostVector<T>&) {
                return Factors<T>{diagonal(n, roots), diagonal(n, roots)};
            });
            return solve(host, inverse_diagonal, b, x, options);
        };
    }
    /// or by the only one.
    auto of_one_matrix() {
        return with([this](Index n, const HostVector<T>& inverse_diagonal) {
            return OneMatrix<T>{diagonal(n, inverse_diagonal)};
        });
    }
    auto by_graph() {
        return [this](const HostCsr<T>& host, const HostVector<T>& inverse_diagonal, const HostVector<T>& b,
                      HostVector<T>& x, const CgOptions& options) {
            const DeviceCsr<T> a = stiefel::to_device(this->backend(), host);
            return run(NeverResident<T>{a}, inverse_diagonal, b, x, options);
        };
    }

    /// The vectors are resident, the matrix is not.
    auto streamed() {
        return [this](const HostCsr<T>& host, const HostVector<T>& inverse_diagonal, const HostVector<T>& b,
                      HostVector<T>& x, const CgOptions& options) {
            auto a = compressed_sell_from_csr(this->backend(), stiefel::to_device(this->backend(), host), 32, {1e9});
            const auto& kernel = spmv_kernels(this->backend(), a).front();
            return run(SpmvOperator<Cuda, T>(std::move(a), kernel), inverse_diagonal, b, x, options);
        };
    }

    /// Of three vectors `stay` are resident: r first, then x, then A p.
    auto partly_streamed(double stay) {
        return [this, stay](const HostCsr<T>& host, const HostVector<T>& inverse_diagonal, const HostVector<T>& b,
                            HostVector<T>& x, const CgOptions& options) {
            const auto a =
                compressed_sell_from_csr(this->backend(), stiefel::to_device(this->backend(), host), 32, {1e9});
            return run(PartlyStaying<T>{a, stay}, inverse_diagonal, b, x, options);
        };
    }

    OpenMP maker{2};
};

}  // namespace stiefel::test
