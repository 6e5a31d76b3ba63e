#pragma once

#include "stiefel/preconditioner/amg/elements.hpp"
#include "stiefel/preconditioner/amg/row_sums.hpp"
#include "stiefel/preconditioner/amg/smoother.hpp"

#include <memory>
#include <string_view>
#include <utility>

namespace stiefel::amg {

/// Two steps with a weight for each row:  d_i = w_i r_i. Where no w_i reaches 2 over the sum of absolutes of row i they
/// converge, so that M is positive definite.
template <class B, class S>
class WeightedSmoother final : public SteppingSmoother<B, S> {
public:
    using typename Smoother<B, S>::Vectors;

    WeightedSmoother(B& backend, CycleMatrix<B, S>&& a, const HostVector<S>& weights)
        : SteppingSmoother<B, S>(std::move(a), 2), weights_(make_vector<S>(backend, weights.size())) {
        upload(backend, weights, weights_);
        if constexpr (!HostBackend<B>) backend.synchronize();
    }

    Size bytes() const override { return this->matrix_bytes() + weights_.bytes(); }

private:
    void first_step(B& backend, Vectors& v, Index columns) override {
        run(backend, columns, 3, {weights_.data(), v.r.data(), nullptr, v.d.data(), v.x.data(), columns, true});
    }
    void first_step_after_correction(B& backend, Vectors& v, Index columns) override {
        run(backend, columns, 5, {weights_.data(), v.r.data(), v.e.data(), v.d.data(), v.x.data(), columns, false});
    }
    void step(B& backend, Vectors& v, Index columns, int) override {
        run(backend, columns, 4, {weights_.data(), v.r.data(), nullptr, v.d.data(), v.x.data(), columns, false});
    }
    void run(B& backend, Index columns, int streams, const WeightedStep<S>& operation) {
        const Size bytes = streams * this->elements(columns) * static_cast<Size>(sizeof(S));
        for_rows(backend, weights_.size(), bytes + weights_.bytes(), operation);
    }

    VectorOf<B, S> weights_;
};

/// As they stand in preconditioner/amg/smoothers.hpp.
struct ListedL1Jacobi {
    static constexpr std::string_view name = "l1-jacobi";
    static constexpr std::string_view description = "two Jacobi steps, divided by the sum of absolutes of the row";
    static constexpr std::string_view source = "Baker, Falgout, Kolev and Yang 2011";

    template <class B, class S>
    static std::unique_ptr<Smoother<B, S>> make(B& backend, const ScaledCsr<double>& a, double,
                                                MadeMatrix<B, S> made = {}) {
        auto&& host = host_of(backend);
        const HostVector<S> weights = row_weights<S>(host, a, [](double absolutes, double) { return 1 / absolutes; });
        return std::make_unique<WeightedSmoother<B, S>>(backend, to_cycle_matrix<B, S>(backend, a, std::move(made)),
                                                        weights);
    }
};
struct ListedSpai0 {
    static constexpr std::string_view name = "spai0";
    static constexpr std::string_view description =
        "two steps with the diagonal nearest to the inverse, bounded so that they converge";
    static constexpr std::string_view source = "Broeker and Grote 2002";

    template <class B, class S>
    static std::unique_ptr<Smoother<B, S>> make(B& backend, const ScaledCsr<double>& a, double,
                                                MadeMatrix<B, S> made = {}) {
        constexpr double below_two = 1.9;
        auto&& host = host_of(backend);
        const HostVector<S> weights = row_weights<S>(
            host, a, [](double absolutes, double squares) { return std::min(1 / squares, below_two / absolutes); });
        return std::make_unique<WeightedSmoother<B, S>>(backend, to_cycle_matrix<B, S>(backend, a, std::move(made)),
                                                        weights);
    }
};

}  // namespace stiefel::amg
