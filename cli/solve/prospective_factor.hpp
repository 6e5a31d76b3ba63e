#pragma once

#include "stiefel/cli/solve/cholesky_cost.hpp"
#include "stiefel/cli/solve/factor_ahead.hpp"
#include "stiefel/core/transfer.hpp"
#ifdef STIEFEL_HAS_CUDA
#include "stiefel/spmv/cuda/to_host_beside.hpp"
#endif

#include <algorithm>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

namespace stiefel::cli {

/// A complete factor that may be made of A: what it is expected to take, in seconds by counts, told by looks that are
/// the closer the more there is to gain; and the factor itself, where a core has made it ahead.
template <class B, class T>
class ProspectiveFactor {
public:
    using Matrix = Csr<T, typename B::memory>;

    /// On a host it looks at A's rows.
    ProspectiveFactor(B& backend, std::shared_ptr<const Matrix> a) : backend_(backend), a_(std::move(a)) {
        if constexpr (HostBackend<B>) {
            before_ = seconds_before_factor(*a_);
        } else {
            before_ = seconds_before_factor(a_->n_rows, a_->nnz(), 0);
        }
    }

    /// Of what comes before the factor itself, at first sight.
    double seconds_before() const { return before_; }

    /// What is left to do where `expected` seconds are to pass without it, or at least as many; since: that have passed
    /// since it was begun ahead.
    SecondsOfCholesky left(double expected, bool at_least, double since) {
        if (ahead_ && !analysis_) analysis_ = ahead_->analysis();
        SecondsOfCholesky found =
            analysis_ ? seconds_of_analysed(analysis_->prediction())
                      : seconds_of_cholesky(
                            before_, expected, at_least, graph_size_,
                            [this] {
                                groups_ = compressed_graph();
                                return vertices_and_couplings(groups_->graph);
                            },
                            [this] {
                                analysis_ = std::make_shared<cholesky::Analysis>(*std::exchange(groups_, {}));
                                return analysis_->prediction();
                            });
        if (!found.is_exact) return found;
        if (ahead_) {
            const double made_ahead = ahead_->makes(analysis_->prediction()) ? found.left : 0;
            found.left += std::max(0.0, before_ + made_ahead - since) - made_ahead;
        }
        if (!HostBackend<B>) found.left += seconds_led_by_host;
        return found;
    }

    /// Null until there is so much to gain.
    const std::shared_ptr<const cholesky::Analysis>& analysis() const { return analysis_; }

    /// On a device, whose iterations leave the host's cores idle: whether one is expected to have analysed A soon. On a
    /// host, where iterations of small systems take one core, a second gained nothing: a thread takes 0.1 ms to begin,
    /// and half as long again for what it does.
    bool may_be_made_ahead() const {
        constexpr double longest_analysis = 2e-3;
        return !HostBackend<B> && before_ <= longest_analysis;
    }

    bool is_made_ahead() const { return ahead_ != nullptr; }

    /// Begins, if a thread is to be had; else it is made when it is asked for.
    void make_ahead() {
        const auto fetch = [&backend = backend_, a = a_]() -> std::shared_ptr<const HostCsr<T>> {
            if constexpr (HostBackend<B>) {
                return a;
            } else {
                return std::make_shared<const HostCsr<T>>(to_host_beside(backend, *a));
            }
        };
        try {
            ahead_ = std::make_unique<FactorAhead<T>>(fetch);
        } catch (const std::system_error&) {
        }
    }

    /// It is waited for when this object ends.
    void give_up() {
        if (ahead_) ahead_->give_up();
    }

    /// What was made ahead, once; nothing where that was not.
    std::optional<cholesky::ToldFactor<T>> take() {
        if (!ahead_) return {};
        return ahead_->take();
    }

    /// Nothing more will be asked for.
    void forget_matrix() {
        a_.reset();
        groups_.reset();
        analysis_.reset();
    }

private:
    cholesky::CompressedGraph compressed_graph() const {
        if constexpr (HostBackend<B>) {
            return cholesky::compressed_graph(*a_);
        } else {
            return cholesky::compressed_graph(to_host(backend_, *a_));
        }
    }

    B& backend_;
    std::shared_ptr<const Matrix> a_;
    double before_ = 0;
    std::optional<cholesky::CompressedGraph> groups_ = {};  // of A, while it is not analysed
    std::optional<double> graph_size_ = {};                 // its vertices and couplings
    std::shared_ptr<const cholesky::Analysis> analysis_ = {};
    std::unique_ptr<FactorAhead<T>> ahead_ = {};
};

}  // namespace stiefel::cli
