#pragma once

#include "stiefel/preconditioner/amg/chebyshev_steps.hpp"
#include "stiefel/preconditioner/amg/cuda/chebyshev_steps.hpp"
#include "stiefel/preconditioner/amg/elements.hpp"
#include "stiefel/preconditioner/amg/slice_diagonals.hpp"
#include "stiefel/preconditioner/amg/smoother.hpp"
#include "stiefel/world/ranks.hpp"

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace stiefel::amg {

/// Chebyshev iteration for a matrix with unit diagonal: two steps damp the part of the spectrum between radius / ratio
/// and radius, the rest is the coarse levels' task. From x = 0 the first is one scaled copy. An element needs to know
/// no row.
template <class B, class S>
class ChebyshevSmoother final : public SteppingSmoother<B, S> {
public:
    using typename Smoother<B, S>::Vectors;
    static constexpr int degree = 2;
    static constexpr double ratio = 7;

    /// radius: bounds the spectrum of A. diagonals: of its slices on a device, where they are known. may_fuse: not
    /// where A is shared with a rank that does not (all_fuse).
    ChebyshevSmoother(CycleMatrix<B, S>&& a, double radius, SliceDiagonals<B> diagonals = {}, bool may_fuse = true)
        : SteppingSmoother<B, S>(std::move(a), degree), diagonals_(std::move(diagonals)), may_fuse_(may_fuse) {
        const double upper = radius, lower = radius / ratio;
        const double theta = (upper + lower) / 2, delta = (upper - lower) / 2;
        double c = delta / theta;
        factors_[0] = {.rho = 0, .sigma = static_cast<S>(1 / theta)};
        for (std::size_t k = 1; k < degree; ++k) {
            const double next = 1 / (2 * theta / delta - c);
            factors_[k] = {.rho = static_cast<S>(next * c), .sigma = static_cast<S>(2 * next / delta)};
            c = next;
        }
    }

    Size bytes() const override { return this->matrix_bytes() + diagonals_.bytes() + in_short_.bytes(); }

    bool gains_by_rounding() const override {
        if constexpr (std::is_same_v<S, float> && std::is_same_v<B, OpenMP>) {
            return fuses(this->matrix()) && amg::gains_by_rounding(*compressed());
        } else if constexpr (std::is_same_v<S, float> && std::is_same_v<B, Cuda>) {
            return sell() != nullptr && diagonals_.begin.empty() && amg::gains_by_rounding(*sell());
        } else {
            return false;
        }
    }
    void round_values(B& backend) override {
        if (!gains_by_rounding()) return;
        if constexpr (std::is_same_v<S, float> && std::is_same_v<B, OpenMP>) {
            in_short_ = short_values(backend, *compressed());
        } else if constexpr (std::is_same_v<S, float> && std::is_same_v<B, Cuda>) {
            in_short_ = short_values(backend, *sell());
        }
    }

    void begin(B& backend, Vectors& v, Index columns, bool with_residual) override {
        if (!with_residual || !is_fused(columns)) {
            return SteppingSmoother<B, S>::begin(backend, v, columns, with_residual);
        }
        if constexpr (std::is_same_v<B, OpenMP>) {
            begin_chebyshev(backend, *compressed(), in_short_, steps(), v.r.data(), v.d.data(), v.x.data(), v.e.data());
        } else if constexpr (std::is_same_v<B, Cuda>) {
            begin_chebyshev(backend, rows(), this->matrix().boundary(), steps(), v.r.data(), v.d.data(), v.x.data(),
                            v.e.data());
        }
    }
    void end(B& backend, Vectors& v, Index columns) override {
        if (!is_fused(columns)) return SteppingSmoother<B, S>::end(backend, v, columns);
        if constexpr (std::is_same_v<B, OpenMP>) {
            end_chebyshev(backend, *compressed(), in_short_, steps(), v.r.data(), v.d.data(), v.x.data(), v.e.data());
        } else if constexpr (std::is_same_v<B, Cuda>) {
            end_chebyshev(backend, rows(), this->matrix().boundary(), steps(), v.r.data(), v.x.data(),
                          std::as_const(v.e).data());
        }
    }

    bool has_way_out() const override {
        if constexpr (std::is_same_v<B, Cuda>) {
            return is_fused(1) && !this->matrix().is_shared() && leaves_by_chebyshev(this->matrix());
        } else {
            return false;  // on two cores it took from 0.98 to 1.02 of the time
        }
    }
    void end(B& backend, Vectors& v, const WayOut<float>& out) override { leave(backend, v, out); }
    void end(B& backend, Vectors& v, const WayOut<double>& out) override { leave(backend, v, out); }

    Work begin_work(Index columns, bool with_residual) const override {
        if (with_residual && is_fused(columns)) return fused_work(7);
        return SteppingSmoother<B, S>::begin_work(columns, with_residual);
    }
    Work end_work(Index columns) const override {
        if (is_fused(columns)) return fused_work(std::is_same_v<B, OpenMP> ? 10 : 7);
        return SteppingSmoother<B, S>::end_work(columns);
    }

    /// Whether both steps can go on with a row while its product is in a register.
    static bool fuses(const CycleMatrix<B, S>& a) {
        if constexpr (std::is_same_v<B, OpenMP>) {
            return !a.is_shared() && a.template in_format<HostCompressedSell<S>>() != nullptr;
        } else if constexpr (std::is_same_v<B, Cuda>) {
            return fuses_chebyshev(a);
        } else {
            return false;
        }
    }
    /// Whether those that share a matrix all can, each with its part: they multiply other vectors then.
    static bool all_fuse(Ranks& ranks, const CycleMatrix<B, S>& a) {
        double some_do_not = fuses(a) ? 0 : 1;
        ranks.all_max(&some_do_not, 1);
        return some_do_not == 0;
    }

    /// Of a step  d = rho d + sigma r,  x += d.
    struct Factors {
        S rho;
        S sigma;
    };
    std::span<const Factors> factors() const { return factors_; }

private:
    template <class T>
    void leave(B& backend, Vectors& v, const WayOut<T>& out) {
        if constexpr (std::is_same_v<B, Cuda>) {
            end_chebyshev(backend, rows(), steps(), v.r.data(), std::as_const(v.x).data(), std::as_const(v.e).data(),
                          out);
        }
    }

    bool is_fused(Index columns) const { return columns == 1 && may_fuse_ && fuses(this->matrix()); }
    const HostCompressedSell<S>* compressed() const requires std::is_same_v<B, OpenMP> {
        return this->matrix().template in_format<HostCompressedSell<S>>();
    }

    /// Of two products and so many vectors; where diagonals are read, columns are not, nor the same slices twice.
    Work fused_work(int vectors) const {
        const Work one = spmm_work(this->matrix(), 1);
        const auto n = static_cast<double>(this->elements(1));
        double matrix = one.bytes - 2 * n * sizeof(S);
        if (!in_short_.empty()) {
            matrix -= static_cast<double>(this->matrix().nnz()) * (sizeof(S) - sizeof(std::int16_t));
        }
        if (!diagonals_.empty()) {
            const auto entries = static_cast<double>(this->matrix().nnz());
            const double read = diagonals_.read_share();
            matrix += read * static_cast<double>(diagonals_.numbers.bytes()) +
                      static_cast<double>(diagonals_.begin.bytes()) - entries * sizeof(Index) -
                      (1 - read) * entries * sizeof(S);
        }
        return {degree * matrix + vectors * n * sizeof(S), degree * one.flops + 4 * degree * n};
    }

    TwoSteps<S> steps() const { return {factors_[0].sigma, factors_[1].rho, factors_[1].sigma}; }

    void first_step(B& backend, Vectors& v, Index columns) override {
        each(backend, columns, 3, BeginFromZero<S>{factors_[0].sigma, v.r.data(), v.d.data(), v.x.data()});
    }
    void first_step_after_correction(B& backend, Vectors& v, Index columns) override {
        each(backend, columns, 5,
             BeginFromCorrection<S>{factors_[0].sigma, v.r.data(), v.e.data(), v.d.data(), v.x.data()});
    }
    void step(B& backend, Vectors& v, Index columns, int number) override {
        const Factors& f = factors_[static_cast<std::size_t>(number)];
        each(backend, columns, 5, Continue<S>{f.rho, f.sigma, v.r.data(), v.d.data(), v.x.data()});
    }
    template <class Operation>
    void each(B& backend, Index columns, int streams, const Operation& operation) {
        const Size n = this->elements(columns);
        for_rows(backend, n, streams * n * static_cast<Size>(sizeof(S)), operation);
    }

    /// Where its rows can be gone on with.
    const DeviceSell<S>* sell() const requires std::is_same_v<B, Cuda> {
        return fuses(this->matrix()) ? this->matrix().template in_format<DeviceSell<S>>() : nullptr;
    }
    RowsOfLevel<S> rows() const requires std::is_same_v<B, Cuda> { return {this->matrix(), diagonals_, in_short_}; }

    SliceDiagonals<B> diagonals_;
    ShortValues<B> in_short_;
    bool may_fuse_;
    std::array<Factors, degree> factors_;
};

/// As it stands in preconditioner/amg/smoothers.hpp.
struct ListedChebyshevSmoother {
    static constexpr std::string_view name = "chebyshev";
    static constexpr std::string_view description = "two steps of the Chebyshev iteration on the upper six sevenths";
    static constexpr std::string_view source = "Golub and Varga 1961; Adams, Brezina, Hu and Tuminaro 2003";

    template <class B, class S>
    static std::unique_ptr<Smoother<B, S>> make(B& backend, const ScaledCsr<double>& a, double radius,
                                                MadeMatrix<B, S> made = {}) {
        return std::make_unique<ChebyshevSmoother<B, S>>(to_cycle_matrix<B, S>(backend, a, std::move(made)), radius);
    }
};

}  // namespace stiefel::amg
