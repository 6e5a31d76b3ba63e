#pragma once

#include "stiefel/core/transfer.hpp"
#include "stiefel/spmv/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace stiefel {

/// The automatic choice; see choose_operator. Terms has what differs between backends:
///     least_bytes_to_rank                  below, the default kernel of CSR is taken
///     timing                               what it takes to time a product, beside the product, as KernelCost counts
///     suits<Format>(backend, bytes, may_stay)  whether a format takes part where CSR takes so many bytes
///     shape<Format>(rows)                  in which a format takes part
///     size<Format>(backend, csr, shape)    what it would store
///     worthwhile_padding(backend, bytes)   entries over nonzeros, at most, where it would take so many bytes and
///                                          more than CSR does
///     cache_gain(backend, bytes)           what moving bytes costs where a product moves so many, over the same in
///                                          memory
///     fill(backend, x)                     x, an operand of trials
///     timer(backend)                       clock of trials
template <class B, class T, class Terms>
class FormatContest {
public:
    using Memory = typename B::memory;

    FormatContest(B& backend, const RowStatistics& rows, const FormatChoice& choice)
        : backend_(backend), rows_(rows), choice_(choice) {}

    /// Of all formats that compete in this memory.
    ChosenOperator<B, T> among_formats(Csr<T, Memory> a) {
        const auto& plain = spmv_kernels(backend_, a).back();
        if (a.bytes() < Terms::least_bytes_to_rank) {
            return {{std::move(a), plain}, "too small for the choice to matter"};
        }
        if (spmv_kernels(backend_, a).size() == 1) return {{std::move(a), plain}, "the only kernel"};
        if (choice_.products <= few_products) return {{std::move(a), plain}, "no choice repays so few products"};
        const Csr<T, Memory>& csr = placed<Csr>(std::move(a));
        add_prospects<Csr>(csr, csr.bytes(), 0, [] {});
        AllFormats::for_each([&]<template <class, class> class Format>() {
            constexpr bool is_csr = std::is_same_v<Format<T, Memory>, Csr<T, Memory>>;
            if constexpr (!is_csr) {
                if (FormatTraits<Format>::template competes<Memory>(choice_.columns)) consider<Format>(csr);
            }
        });
        return decide();
    }

    /// Of the kernels for a matrix whose format was asked for.
    template <template <class, class> class Format>
    ChosenOperator<B, T> among_kernels(Format<T, Memory> a) {
        const auto kernels = spmv_kernels(backend_, a);
        if (kernels.size() == 1) return {{std::move(a), kernels.front()}, "the only kernel"};
        const auto& matrix = placed<Format>(std::move(a));
        add_prospects<Format>(matrix, matrix.bytes(), 0, [] {});
        return decide();
    }

private:
    using Step = std::function<void()>;

    /// One way to multiply.
    struct Prospect {
        std::string name;
        std::string_view format;
        std::string_view family;
        double cost;   ///< of a product and its part of the conversion, as KernelCost counts
        Step convert;  ///< makes the matrix, unless it is there
        Step product;  ///< with the operands of the trial
        std::function<SpmvOperator<B, T>()> take_it;  ///< the matrix with the kernel
    };

    static constexpr double few_products = 5;          // fewer than a conversion takes the time of
    static constexpr double trial_share = 0.03;        // of the expected iterations
    static constexpr double vectors_of_iteration = 8;  // read and written by CG beside its product

    template <template <class, class> class Format>
    std::optional<Format<T, Memory>>& place() {
        return std::get<std::optional<Format<T, Memory>>>(matrices_);
    }
    template <template <class, class> class Format>
    const Format<T, Memory>& placed(Format<T, Memory> a) {
        n_rows_ = a.n_rows;
        n_cols_ = a.n_cols;
        return place<Format>().emplace(std::move(a));
    }

    template <template <class, class> class Format>
    void consider(const Csr<T, Memory>& csr) {
        using Traits = FormatTraits<Format>;
        if (!Terms::template suits<Format>(backend_, csr.bytes(), choice_.may_stay)) return;
        const auto shape = Terms::template shape<Format>(rows_);
        Format<T, Memory> like{};
        if constexpr (requires { like.layout; }) like.layout = shape;
        const double conversion = Traits::conversion_products * static_cast<double>(csr.bytes()) / choice_.products;
        // What cannot win even without padding need not be looked at: on a device that takes a few kernels.
        const Size least = csr.nnz() * (Size{sizeof(T)} + Traits::least_column_bytes);
        if (least_cost(like, least, conversion) > worth_a_trial * least_cost(csr, csr.bytes(), 0)) return;
        const FormatSize size = Terms::template size<Format>(backend_, csr, shape);
        const Size bytes = size.bytes(sizeof(T));
        const double most = Terms::worthwhile_padding(backend_, bytes);
        // Where columns are stored once for many entries, that may make up for it.
        const bool is_long = static_cast<double>(size.entries) > most * static_cast<double>(csr.nnz());
        if (is_long && bytes > csr.bytes()) {
            remarks_.push_back(fmt::format("{} would be padding by more than {}", Traits::name,
                                           most < 2 ? "a quarter" : "three quarters"));
            return;
        }
        add_prospects<Format>(like, bytes, conversion, [this, &csr, shape] {
            auto&& converts = converter(backend_);
            if (!place<Format>()) place<Format>() = Traits::from_csr(converts, csr, shape, PaddingLimit{});
        });
    }

    /// What a product takes by a kernel, with a matrix of so many bytes.
    double cost(const KernelCost& c, Size matrix_bytes, double conversion) const {
        const double rows = static_cast<double>(n_rows_) * choice_.columns;
        const double bytes = static_cast<double>(matrix_bytes) + (rows + 1.0 * n_cols_ * choice_.columns) * sizeof(T);
        const double steps = c.steps != nullptr ? c.steps(rows_) : 0;
        return c.factor * bytes * Terms::cache_gain(backend_, bytes) + c.row * rows + c.start + c.step * steps +
               conversion;
    }

    /// f(kernel) for the kernels of a format that may win, the default first; of panels only the default.
    template <class Matrix, class F>
    void for_kernels(const Matrix& like, F&& f) {
        if (choice_.columns > 1) return f(spmm_kernels(backend_, like).back());
        const auto kernels = spmv_kernels(backend_, like);
        for (std::size_t last = kernels.size(); last > 0; --last) {
            const auto& kernel = kernels[last - 1];
            if (kernel.may_win == nullptr || kernel.may_win(backend_, like)) f(kernel);
        }
    }

    template <class Matrix>
    double least_cost(const Matrix& like, Size matrix_bytes, double conversion) {
        double least = std::numeric_limits<double>::infinity();
        for_kernels(like,
                    [&](const auto& kernel) { least = std::min(least, cost(kernel.cost, matrix_bytes, conversion)); });
        return least;
    }

    template <template <class, class> class Format>
    void add_prospects(const Format<T, Memory>& like, Size matrix_bytes, double conversion, const Step& convert) {
        auto& matrix = place<Format>();
        for_kernels(like, [&](const auto& kernel) {
            prospects_.push_back({.name = fmt::format("{}/{}", kernel.format, kernel.name),
                                  .format = FormatTraits<Format>::name,
                                  .family = FormatTraits<Format>::family,
                                  .cost = cost(kernel.cost, matrix_bytes, conversion),
                                  .convert = convert,
                                  .product = [this, &matrix, &kernel] { multiply(*matrix, kernel); },
                                  .take_it = [this, &matrix, &kernel] { return taken(*matrix, kernel); }});
        });
    }

    template <class Matrix>
    void multiply(const Matrix& a, const SpmvKernel<B, Matrix>& kernel) {
        kernel.run(backend_, a, {.x = x_.data(), .y = y_.data()});
    }
    template <class Matrix>
    void multiply(const Matrix& a, const SpmmKernel<B, Matrix>& kernel) {
        const Index k = choice_.columns;
        kernel.run(backend_, a, {.x = x_.data(), .ldx = k, .y = y_.data(), .ldy = k, .k = k});
    }

    /// The matrix with the kernel, or with the default one for vectors, where panels were what it is for. Frees what
    /// other kernels keep beside it.
    template <class Matrix, class Kernel>
    SpmvOperator<B, T> taken(Matrix& a, const Kernel& kernel) {
        if constexpr (requires { a.bins; }) {
            if (kernel.name != "binned") a.bins.reset();
        }
        if constexpr (std::is_same_v<Kernel, SpmvKernel<B, Matrix>>) {
            return {std::move(a), kernel};
        } else {
            return {std::move(a), spmv_kernels(backend_, a).back()};
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

    /// Leaves of each family the format that the model expects to be best: a trial could tell little between them.
    void keep_best_of_families() {
        const std::vector<Prospect> all = std::move(prospects_);
        prospects_.clear();
        std::copy_if(all.begin(), all.end(), std::back_inserter(prospects_), [&](const Prospect& one) {
            return std::none_of(all.begin(), all.end(), [&](const Prospect& other) {
                return other.family == one.family && other.format != one.format && other.cost < one.cost;
            });
        });
    }

    ChosenOperator<B, T> decide() {
        keep_best_of_families();
        std::vector<double> costs;
        for (const Prospect& prospect : prospects_) costs.push_back(prospect.cost);
        const double iteration = *std::min_element(costs.begin(), costs.end()) +
                                 vectors_of_iteration * n_rows_ * choice_.columns * sizeof(T);
        const Contest contest = plan_contest(costs, trial_share * choice_.products * iteration, Terms::timing);
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
        Terms::fill(backend_, x_);
        std::vector<std::string> names;
        std::vector<Step> products;
        for (const Prospect* each : ready) {
            names.push_back(each->name);
            products.push_back(each->product);
        }
        const auto seconds = take_turns(names, products, choice_.timer ? choice_.timer : Terms::timer(backend_));
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
    AllFormats::template Tuple<std::optional, T, Memory> matrices_;
    std::vector<Prospect> prospects_;
    std::vector<std::string> remarks_;
    Index n_rows_ = 0, n_cols_ = 0;
    VectorOf<B, T> x_, y_;
};

}  // namespace stiefel
