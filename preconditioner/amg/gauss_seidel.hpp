#pragma once

#include "stiefel/preconditioner/amg/smoother.hpp"

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace stiefel::amg {

/// A matrix with unit diagonal, taken apart for hybrid Gauss-Seidel: rows in a few blocks, as many whatever the
/// threads, that see each other's values of before the sweep. With N = (L + D)^-1, L the lower triangle within blocks
/// and D = 1 + half the sum of absolutes of a row outside of its block, N + N' - N A N' is positive definite (Baker,
/// Falgout, Kolev and Yang 2011): it converges for every symmetric positive definite A. A sweep from zero and its
/// residual read A once, as does the sweep back.
template <class S>
class GaussSeidelMatrix {
public:
    GaussSeidelMatrix(OpenMP&, const HostCsr<S>& a);
    GaussSeidelMatrix(OpenMP&, const HostCsr<S>& a, Index n_blocks);

    /// x = N r; with residual also b = r, r -= A x. Panels of k columns.
    void forward(OpenMP&, Index k, S* r, S* x, S* b, bool with_residual) const;
    /// x += e, x += N' (b - A x); b is lost.
    void backward(OpenMP&, Index k, S* b, const S* e, S* x) const;

    Index n_rows() const { return n_; }
    Size nnz() const { return lower_.cols.size() + upper_.cols.size() + outside_.cols.size() + n_; }
    Size bytes() const;

private:
    /// Rows of a triangle within blocks: those of block p are row_ptr[i + p] .. row_ptr[i + p + 1] from base[p] on.
    struct Triangle {
        HostVector<Size> base;
        HostVector<std::uint32_t> row_ptr;
        HostVector<Index> cols;
        HostVector<S> values;
    };
    /// What couples blocks: few rows, listed.
    struct Outside {
        HostVector<Index> rows;
        HostVector<Size> row_ptr;
        HostVector<Index> cols;
        HostVector<S> values;
        HostVector<S> extra;  // of D, beyond 1
    };

    Index begin_of(Index block) const { return static_cast<Index>(Size{n_} * block / n_blocks_); }
    void fill(OpenMP&, const HostCsr<S>& a);
    template <int K>
    void forward_block(Index block, Index k, S* r, S* x, S* b, bool with_residual) const;
    template <int K>
    void backward_block(Index block, Index k, const S* b, S* x) const;
    template <class F>
    void for_blocks(OpenMP&, Index k, F&& f) const;
    /// r += (D - 1) x - O x, O what is outside of blocks.
    void add_outside(OpenMP&, Index k, const S* x, S* r) const;

    Index n_;
    Index n_blocks_;
    Triangle lower_, upper_;
    Outside outside_;
    HostVector<S> inverse_;  // of D
};

template <class B, class S>
class GaussSeidelSmoother final : public Smoother<B, S> {
public:
    using typename Smoother<B, S>::Vectors;
    explicit GaussSeidelSmoother(GaussSeidelMatrix<S> a) : a_(std::move(a)) {}

    void begin(B& backend, Vectors& v, Index columns, bool with_residual) override {
        auto&& host = host_of(backend);
        a_.forward(host, columns, v.r.data(), v.x.data(), v.d.data(), with_residual);
    }
    void end(B& backend, Vectors& v, Index columns) override {
        auto&& host = host_of(backend);
        a_.backward(host, columns, v.d.data(), v.e.data(), v.x.data());
    }
    Size bytes() const override { return a_.bytes(); }
    Work begin_work(Index columns, bool with_residual) const override {
        return with_residual ? work(columns, 1, 5) : work(columns, 0.5, 2);
    }
    Work end_work(Index columns) const override { return work(columns, 1, 6); }

private:
    Work work(Index columns, double products, double streams) const {
        const double elements = static_cast<double>(a_.n_rows()) * columns;
        return {products * static_cast<double>(a_.bytes()) + streams * elements * sizeof(S),
                products * 2 * static_cast<double>(a_.nnz()) * columns + 2 * elements};
    }

    GaussSeidelMatrix<S> a_;
};

/// As it stands in preconditioner/amg/smoothers.hpp.
struct ListedGaussSeidel {
    static constexpr std::string_view name = "gauss-seidel";
    static constexpr std::string_view description = "a sweep forward, a sweep back; on the host";
    static constexpr std::string_view source = "Baker, Falgout, Kolev and Yang 2011";

    template <class B, class S>
    static std::unique_ptr<Smoother<B, S>> make(B& backend, const ScaledCsr<double>& a, double, MadeMatrix<B, S> = {}) {
        auto&& host = host_of(backend);
        return std::make_unique<GaussSeidelSmoother<B, S>>(GaussSeidelMatrix<S>(host, scaled_copy<S>(host, a)));
    }
};

}  // namespace stiefel::amg
