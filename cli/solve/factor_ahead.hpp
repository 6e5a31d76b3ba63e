#pragma once

#include "stiefel/cli/solve/cholesky_cost.hpp"
#include "stiefel/preconditioner/cholesky/cholesky.hpp"

#include <atomic>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <utility>

namespace stiefel::cli {

/// A matrix analysed and, where that is expected to be short, factorised by a core of the host that iterations leave
/// idle, so that the factor is there when these turn out to be many. Nothing that is decided depends on how far it has
/// come: who asks for it waits.
template <class T>
class FactorAhead {
public:
    /// A in the host's memory, asked for from the other thread.
    using Fetch = std::function<std::shared_ptr<const HostCsr<T>>()>;

    /// Begins. Throws std::system_error where no thread is to be had.
    explicit FactorAhead(Fetch fetch)
        : made_(std::async(std::launch::async, [this, fetch = std::move(fetch)] { make(fetch); })) {}
    FactorAhead(const FactorAhead&) = delete;
    FactorAhead& operator=(const FactorAhead&) = delete;
    /// Waits for its end.
    ~FactorAhead() { give_up(); }

    /// It ends soon.
    void give_up() { is_given_up_ = true; }

    static bool makes(const cholesky::Prediction& prediction) { return factor_seconds(prediction) <= most_seconds; }

    /// Throws what analysing threw.
    std::shared_ptr<const cholesky::Analysis> analysis() { return analysis_.get(); }

    /// Nothing where it would be a long one; once. Throws what factorising threw.
    std::optional<cholesky::ToldFactor<T>> take() {
        made_.get();
        return std::exchange(factor_, {});
    }

private:
    /// Longer ones are left to all cores, when they are wanted.
    static constexpr double most_seconds = 3e-3;

    void make(const Fetch& fetch) {
        std::shared_ptr<const HostCsr<T>> a;
        std::shared_ptr<const cholesky::Analysis> analysis;
        try {
            a = fetch();
            analysis = std::make_shared<const cholesky::Analysis>(cholesky::compressed_graph(*a));
            analysed_.set_value(analysis);
        } catch (...) {
            return analysed_.set_exception(std::current_exception());
        }
        if (is_given_up_ || !makes(analysis->prediction())) return;
        factor_ = cholesky::factor(*a, analysis.get(), 1, [this] { return is_given_up_.load(); });
    }

    std::atomic<bool> is_given_up_ = false;
    std::promise<std::shared_ptr<const cholesky::Analysis>> analysed_;
    std::shared_future<std::shared_ptr<const cholesky::Analysis>> analysis_ = analysed_.get_future().share();
    std::optional<cholesky::ToldFactor<T>> factor_;
    std::future<void> made_;  // the last: it is waited for before the others go
};

}  // namespace stiefel::cli
