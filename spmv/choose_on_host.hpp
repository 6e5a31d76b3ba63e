#pragma once

#include "stiefel/core/transfer.hpp"
#include "stiefel/spmv/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace stiefel {

/// The backend that converts for another: conversions are parallel throughout.
inline OpenMP converter(Serial&) {
    return OpenMP(1);
}
inline OpenMP& converter(OpenMP& backend) {
    return backend;
}

/// The automatic choice on a host; see choose_operator.
template <HostBackend B, class T>
class HostContest {
public:
    HostContest(B& backend, const RowStatistics& rows, const FormatChoice& choice)
        : backend_(backend), rows_(rows), choice_(choice) {}

    /// Of all formats that compete on a host.
    ChosenOperator<B, T> among_formats(HostCsr<T> a) {
        const auto& plain = spmv_kernels(backend_, a).back();
        if (a.bytes() < least_bytes_to_rank) return {{std::move(a), plain}, "too small for the choice to matter"};
        if (spmv_kernels(backend_, a).size() == 1) return {{std::move(a), plain}, "the only kernel"};
        const HostCsr<T>& csr = place<Csr>().emplace(std::move(a));
        AllFormats::for_each([&]<template <class, class> class Format>() {
            if constexpr (FormatTraits<Format>::template competes<HostMemory>) consider<Format>(csr);
        });
        return decide();
    }

    /// Of the kernels for a matrix whose format was asked for.
    template <template <class, class> class Format>
    ChosenOperator<B, T> among_kernels(Format<T, HostMemory> a) {
        const auto kernels = spmv_kernels(backend_, a);
        if (kernels.size() == 1) return {{std::move(a), kernels.front()}, "the only kernel"};
        const auto& matrix = place<Format>().emplace(std::move(a));
        add_prospects<Format>(matrix.bytes(), matrix.n_rows, matrix.n_cols, 0, [] {});
        return decide();
    }

private:
    using Step = std::function<void()>;

    /// One way to multiply.
    struct Prospect {
        std::string name;
        double cost;   ///< of a product and its part of the conversion, as KernelCost counts
        Step convert;  ///< makes the matrix, unless it is there
        Step product;  ///< with the operands of the trial
        std::function<SpmvOperator<B, T>()> take_it;  ///< the matrix with the kernel
    };

    static constexpr Size least_bytes_to_rank = 1 << 20;
    static constexpr double worthwhile_padding = 1.25;
    static constexpr double trial_share = 0.03;        // of the expected iterations
    static constexpr double vectors_of_iteration = 8;  // read and written by CG beside its product

    template <template <class, class> class Format>
    std::optional<Format<T, HostMemory>>& place() {
        return std::get<std::optional<Format<T, HostMemory>>>(matrices_);
    }

    template <template <class, class> class Format>
    void consider(const HostCsr<T>& csr) {
        using Traits = FormatTraits<Format>;
        auto&& by = converter(backend_);
        const auto shape = Traits::template shapes<HostMemory>(rows_).front();
        const FormatSize size = Traits::size(by, csr.row_ptr, shape);
        if (static_cast<double>(size.entries) > worthwhile_padding * static_cast<double>(csr.nnz())) {
            remarks_.push_back(fmt::format("{} would be padding by more than a quarter", Traits::name));
            return;
        }
        const double conversion = Traits::conversion_products * static_cast<double>(csr.bytes()) / choice_.products;
        add_prospects<Format>(size.bytes(sizeof(T)), csr.n_rows, csr.n_cols, conversion,
                              [this, &csr, shape] { convert<Format>(csr, shape); });
    }

    /// Puts A into a format, unless it is there already, as CSR always is.
    template <template <class, class> class Format, class Shape>
    void convert([[maybe_unused]] const HostCsr<T>& csr, [[maybe_unused]] const Shape& shape) {
        if constexpr (!std::is_same_v<Format<T, HostMemory>, HostCsr<T>>) {
            auto&& by = converter(backend_);
            if (!place<Format>()) place<Format>() = FormatTraits<Format>::from_csr(by, csr, shape, PaddingLimit{});
        }
    }

    /// The kernels of a format, the default first; of panels only the default.
    template <template <class, class> class Format>
    void add_prospects(Size matrix_bytes, Index n_rows, Index n_cols, double conversion, const Step& convert) {
        const Index k = choice_.columns;
        const double vectors = (static_cast<double>(n_rows) + n_cols) * k * sizeof(T);
        const double bytes = static_cast<double>(matrix_bytes) + vectors;
        const auto cost = [&](const KernelCost& c) { return c.factor * bytes + c.row * n_rows * k + conversion; };
        n_rows_ = n_rows;
        n_cols_ = n_cols;
        auto& matrix = place<Format>();
        const auto kernels = spmv_kernels(backend_, Format<T, HostMemory>{});
        if (k > 1) {
            const auto& panel = spmm_kernels(backend_, Format<T, HostMemory>{}).back();
            prospects_.push_back(
                {fmt::format("{}/{}", panel.format, panel.name), cost(panel.cost), convert,
                 [this, &matrix, &panel, k] {
                     panel.run(backend_, *matrix, {.x = x_.data(), .ldx = k, .y = y_.data(), .ldy = k, .k = k});
                 },
                 [&matrix, &plain = kernels.back()] { return SpmvOperator<B, T>(std::move(*matrix), plain); }});
            return;
        }
        for (std::size_t last = kernels.size(); last > 0; --last) {
            const auto& kernel = kernels[last - 1];
            prospects_.push_back(
                {fmt::format("{}/{}", kernel.format, kernel.name), cost(kernel.cost), convert,
                 [this, &matrix, &kernel] { kernel.run(backend_, *matrix, {.x = x_.data(), .y = y_.data()}); },
                 [&matrix, &kernel] { return SpmvOperator<B, T>(std::move(*matrix), kernel); }});
        }
    }

    /// The ways that are to be measured, the model's choice first; those that do not fit in memory are passed over.
    std::vector<const Prospect*> contestants(const Contest& contest) {
        std::vector<const Prospect*> ready;
        for (std::size_t index : contest.contestants) {
            const Prospect& prospect = prospects_[index];
            try {
                prospect.convert();
                ready.push_back(&prospect);
            } catch (const OutOfMemory&) {
                remarks_.push_back(fmt::format("{} does not fit in memory", prospect.name));
            }
        }
        if (ready.empty()) ready.push_back(&prospects_.front());  // of the format that the matrix came in
        return ready;
    }

    ChosenOperator<B, T> decide() {
        std::vector<double> costs;
        for (const Prospect& prospect : prospects_) costs.push_back(prospect.cost);
        const double iteration = *std::min_element(costs.begin(), costs.end()) +
                                 vectors_of_iteration * n_rows_ * choice_.columns * sizeof(T);
        const Contest contest = plan_contest(costs, trial_share * choice_.products * iteration);
        const std::vector<const Prospect*> ready = contestants(contest);
        std::size_t best = 0;
        std::string reason = fmt::format("expected by bytes moved: {}", ready.front()->name);
        if (ready.size() > 1) {
            best = measure(ready, reason);
        } else if (contest.too_costly) {
            reason += fmt::format(", unmeasured as a trial takes over 3 % of {:g} products", choice_.products);
        } else {
            reason += ", nothing else within a quarter of it";
        }
        for (const std::string& remark : remarks_) reason += ", " + remark;
        reason +=
            fmt::format("; rows of {} to {} entries, {:.1f} on average", rows_.shortest, rows_.longest, rows_.mean);
        return {ready[best]->take_it(), reason};
    }

    /// The trial: which one to take, and what was seen.
    std::size_t measure(const std::vector<const Prospect*>& ready, std::string& reason) {
        x_ = make_vector<T>(backend_, Size{n_cols_} * choice_.columns);
        y_ = make_vector<T>(backend_, Size{n_rows_} * choice_.columns);
        // By all threads, as they will read it: the first touch of large memory takes longer than a product.
#pragma omp parallel for num_threads(converter(backend_).threads()) schedule(static)
        for (Size i = 0; i < x_.size(); ++i) x_[i] = T{1};
        std::vector<std::string> names;
        std::vector<Step> products;
        for (const Prospect* each : ready) {
            names.push_back(each->name);
            products.push_back(each->product);
        }
        const auto seconds = take_turns(names, products, choice_.timer);
        const std::size_t best = winner(seconds);
        for (std::size_t k = 0; k < names.size(); ++k) {
            reason += fmt::format("{} {} {:.3g} ms", k == 0 ? "; measured:" : ",", names[k], 1e3 * fastest(seconds, k));
        }
        if (choice_.columns > 1) reason += fmt::format(" for {} columns", choice_.columns);
        reason += best == 0 ? ", nothing gains every time" : fmt::format(", {} gains every time", names[best]);
        return best;
    }

    B& backend_;
    const RowStatistics& rows_;
    const FormatChoice& choice_;
    AllFormats::Tuple<std::optional, T, HostMemory> matrices_;
    std::vector<Prospect> prospects_;
    std::vector<std::string> remarks_;
    Index n_rows_ = 0, n_cols_ = 0;
    HostVector<T> x_, y_;
};

}  // namespace stiefel
