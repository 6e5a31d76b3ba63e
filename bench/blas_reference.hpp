#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/types.hpp"

#include <memory>
#include <string>
#include <vector>

namespace stiefel::bench {

/// A BLAS of others, opened at run time: OpenBLAS and BLIS export the same names, so they cannot both be linked, and
/// stiefel-bench runs where one or all of them are missing.
class HostBlas {
public:
    /// Those of OpenBLAS and BLIS that this machine has.
    static std::vector<HostBlas> all();

    const std::string& name() const { return name_; }
    /// As it says it of itself, first words: "OpenBLAS 0.3.21", "0.9.0"; "unknown" where it says nothing.
    std::string version() const;
    void set_threads(int threads) const;

    /// C = A B, row-major and dense, A m x k, B k x n.
    void gemm(Index m, Index n, Index k, const double* a, const double* b, double* c) const;
    void gemm(Index m, Index n, Index k, const float* a, const float* b, float* c) const;

private:
    explicit HostBlas(std::string name) : name_(std::move(name)) {}

    std::string name_;
    void* dgemm_ = nullptr;
    void* sgemm_ = nullptr;
    void* set_threads_ = nullptr;
    void* describe_ = nullptr;  ///< const char* ()
};

/// cuBLAS, opened at run time.
class CudaBlas {
public:
    /// Null where there is no cuBLAS.
    static std::unique_ptr<CudaBlas> open(const Cuda& backend);
    ~CudaBlas();

    /// C = A B as above. tf32 lets the matrix units round the operands of floats.
    void gemm(Index m, Index n, Index k, const double* a, const double* b, double* c, bool tf32 = false) const;
    void gemm(Index m, Index n, Index k, const float* a, const float* b, float* c, bool tf32 = false) const;

    /// G = P' Q for panels n x k.
    void gram(Index n, Index k, const double* p, const double* q, double* g) const;

    /// B = A', A n x n.
    void transpose(Index n, const double* a, double* b) const;
    void transpose(Index n, const float* a, float* b) const;

private:
    struct Functions;
    explicit CudaBlas(std::unique_ptr<Functions> functions);
    std::unique_ptr<Functions> functions_;
};

}  // namespace stiefel::bench
