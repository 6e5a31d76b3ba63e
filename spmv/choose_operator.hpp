#pragma once

#include "stiefel/core/timing.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/spmv/choose.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

// The definition of choose_operator; each backend instantiates it in a file of its own.

namespace stiefel {

/// The backend that converts for another: conversions are parallel throughout.
inline OpenMP converter(Serial&) {
    return OpenMP(1);
}
inline OpenMP& converter(OpenMP& backend) {
    return backend;
}

inline Cuda& converter(Cuda& backend) {
    return backend;
}

using Products = std::vector<std::function<void()>>;

/// Seconds of each product: the fastest of `times`, after one that brings code and data in.
template <HostBackend B>
std::vector<double> product_seconds(B&, int times, const Products& products) {
    std::vector<double> seconds;
    for (const auto& product : products) {
        product();
        double fastest = std::numeric_limits<double>::infinity();
        for (int i = 0; i < times; ++i) {
            const Stopwatch watch;
            product();
            fastest = std::min(fastest, watch.seconds());
        }
        seconds.push_back(fastest);
    }
    return seconds;
}
/// On a device, where a kernel may take no longer than its start: of products captured one behind the other.
inline std::vector<double> product_seconds(Cuda& backend, int times, const Products& products) {
    return captured_seconds(backend, times, products);
}

/// Frees what kernels keep beside a matrix and the one chosen does not use.
template <class Matrix>
void keep_plans_of(std::string_view kernel, Matrix& a) {
    if constexpr (requires { a.bins; }) {
        if (kernel != "binned") a.bins.reset();
    }
}

/// The layout of ELLPACK that suits the backend: a core runs along a row, a warp's threads stand side by side in a
/// column.
template <class B>
constexpr EllpackLayout ellpack_layout =
    std::is_same_v<typename B::memory, HostMemory> ? EllpackLayout::row_major : EllpackLayout::column_major;

/// One choice under way: the operands of the trial, and what was measured.
template <class B, class T>
class OperatorChooser {
public:
    using Memory = typename B::memory;

    OperatorChooser(B& backend, const RowStatistics& rows, const FormatChoice& choice)
        : backend_(backend), rows_(rows), choice_(choice) {
        const std::vector<std::string_view> formats{"csr", "ellpack", "sell"};
        const bool known = choice.format == "auto" ||
                           std::find(formats.begin(), formats.end(), std::string_view(choice.format)) != formats.end();
        if (!known) {
            throw InvalidArgument(
                fmt::format("there is no format '{}'; there are: auto, {}", choice.format, fmt::join(formats, ", ")));
        }
    }

    ChosenOperator<B, T> choose(Csr<T, Memory> a) {
        require(choice_.columns >= 1 && choice_.columns <= max_spmm_columns,
                "choose_operator: columns must be 1 to 256");
        if (choice_.format == "csr") return best_of(std::move(a));
        if (choice_.format == "ellpack") return best_of(to_ellpack(a));
        if (choice_.format == "sell") return best_of(to_sell(a, PaddingLimit{}));
        if (choice_.kernel != "auto") return choose_by_kernel(std::move(a));
        return choose_freely(std::move(a));
    }

private:
    /// On a device the kernels differ on small matrices too, and a trial takes no longer than a few iterations.
    static constexpr Size least_bytes_to_measure = HostBackend<B> ? 1 << 20 : 0;
    static constexpr PaddingLimit worthwhile_padding{.factor = 1.25};
    /// ELLPACK on a device. Where a matrix with its padding stays in the cache, padding costs little beside the time
    /// that a kernel takes to start (H100, real matrices); elsewhere it costs as much as entries do.
    static PaddingLimit ellpack_padding(const B& backend, Size bytes) {
        if constexpr (HostBackend<B>) {
            return worthwhile_padding;
        } else {
            return {.factor = 4 * bytes <= backend.device().l2_bytes / 2 ? 4.0 : 2.0};
        }
    }
    static constexpr int products = 3;

    template <class Matrix>
    using Kernel = SpmvKernel<B, Matrix>;

    template <class Matrix>
    struct Timed {
        const Kernel<Matrix>* kernel = nullptr;
        double seconds = std::numeric_limits<double>::infinity();
    };

    Ellpack<T, Memory> to_ellpack(const Csr<T, Memory>& a, EllpackLayout layout = ellpack_layout<B>,
                                  PaddingLimit limit = {}) {
        auto&& by = converter(backend_);
        return ellpack_from_csr(by, a, layout, limit);
    }
    Sell<T, Memory> to_sell(const Csr<T, Memory>& a, PaddingLimit limit) {
        auto&& by = converter(backend_);
        return sell_from_csr(by, a, sell_slice_height, sell_sorting_window(rows_), limit);
    }

    /// The kernel asked for, or the fastest of those listed for this matrix.
    template <class Matrix>
    ChosenOperator<B, T> best_of(Matrix a) {
        if (choice_.kernel != "auto") {
            const auto& kernel = find_kernel(backend_, a, choice_.kernel);
            return {SpmvOperator<B, T>(std::move(a), kernel), "as asked"};
        }
        const auto kernels = spmv_kernels(backend_, a);
        const auto& kernel = kernels.size() == 1 ? kernels.front() : *time_kernels(a).kernel;
        keep_plans_of(kernel.name, a);
        return {SpmvOperator<B, T>(std::move(a), kernel), sentence()};
    }

    /// The first format that lists the kernel.
    ChosenOperator<B, T> choose_by_kernel(Csr<T, Memory> a) {
        if (lists_kernel(a)) return best_of(std::move(a));
        if (lists_kernel(Sell<T, Memory>{})) return best_of(to_sell(a, PaddingLimit{}));
        if (lists_kernel(Ellpack<T, Memory>{})) return best_of(to_ellpack(a));
        throw InvalidArgument(fmt::format("there is no kernel '{}' on {}; there are: csr: {}; ellpack: {}; sell: {}",
                                          choice_.kernel, B::name, names(a), names(Ellpack<T, Memory>{}),
                                          names(Sell<T, Memory>{})));
    }

    ChosenOperator<B, T> choose_freely(Csr<T, Memory> a) {
        const auto& plain = spmv_kernels(backend_, a).back();
        if (a.bytes() < least_bytes_to_measure) {
            return {SpmvOperator<B, T>(std::move(a), plain), "too small for the choice to matter"};
        }
        if (spmv_kernels(backend_, a).size() == 1) return {SpmvOperator<B, T>(std::move(a), plain), sentence()};
        const Timed<Csr<T, Memory>> csr = time_kernels(a);
        best_seconds_ = csr.seconds;
        best_run_ = [&](const SpmvArguments<T>& arguments) { csr.kernel->run(backend_, a, arguments); };
        keep_plans_of(csr.kernel->name, a);
        challenge("sell", "a quarter", [&] { return to_sell(a, worthwhile_padding); });
        if constexpr (!HostBackend<B>) {
            // The lanes of a warp may share a row of ELLPACK, which suits long rows better than SELL's thread a row.
            const PaddingLimit limit = ellpack_padding(backend_, a.bytes());
            for (auto layout : {EllpackLayout::column_major, EllpackLayout::row_major}) {
                challenge("ellpack", limit.factor > 2 ? "three quarters" : "half",
                          [&] { return to_ellpack(a, layout, limit); });
            }
        }
        if (best_) return {std::move(*best_), sentence()};
        return {SpmvOperator<B, T>(std::move(a), *csr.kernel), sentence()};
    }

    /// Times another format, and keeps it if it is the best so far. None where rows are so uneven that padding would
    /// cost more than the format brings.
    template <class Convert>
    void challenge(std::string_view format, std::string_view limit, Convert&& convert) {
        try {
            auto a = convert();
            const auto timed = time_kernels(a);
            if (beats_the_best(a, timed)) {
                best_seconds_ = timed.seconds;
                best_.emplace(std::move(a), *timed.kernel);
                best_run_ = [this](const SpmvArguments<T>& arguments) { best_->run(backend_, arguments); };
            }
        } catch (const InvalidArgument&) {  // the size is known, and refused, before anything is built
            measured_.push_back(fmt::format("{} would be padding by more than {}", format, limit));
        } catch (const OutOfMemory&) {
            measured_.push_back(fmt::format("{} does not fit in memory", format));
        }
    }

    /// On a device, whose clock may have changed since the best was timed, by a run-off of the two.
    template <class Matrix>
    bool beats_the_best(const Matrix& a, const Timed<Matrix>& timed) {
        if (HostBackend<B> || choice_.columns > 1) return timed.seconds < best_seconds_;
        if constexpr (HostBackend<B>) {
            return false;
        } else {
            auto x = make_vector<T>(backend_, a.n_cols);
            auto y = make_vector<T>(backend_, a.n_rows);
            upload(backend_, HostVector<T>(a.n_cols, T{1}), x);
            const SpmvArguments<T> arguments{.x = x.data(), .y = y.data()};
            const std::vector<double> seconds =
                product_seconds(backend_, products,
                                {[&] { best_run_(arguments); }, [&] { timed.kernel->run(backend_, a, arguments); }});
            return seconds[1] < seconds[0];
        }
    }

    template <class Matrix>
    Timed<Matrix> time_kernels(const Matrix& a) {
        if (choice_.columns > 1) return time_panel(a);
        const auto kernels = spmv_kernels(backend_, a);
        Timed<Matrix> best;
        auto x = make_vector<T>(backend_, a.n_cols);
        auto y = make_vector<T>(backend_, a.n_rows);
        upload(backend_, HostVector<T>(a.n_cols, T{1}), x);
        std::vector<const Kernel<Matrix>*> tried;
        Products trials;
        for (const Kernel<Matrix>& kernel : kernels) {
            if (kernel.may_win != nullptr && !kernel.may_win(backend_, a)) continue;
            tried.push_back(&kernel);
            trials.emplace_back([&] { kernel.run(backend_, a, {.x = x.data(), .y = y.data()}); });
        }
        const std::vector<double> seconds = product_seconds(backend_, products, trials);
        for (std::size_t k = 0; k < tried.size(); ++k) {
            measured_.push_back(fmt::format("{}/{} {:.3g} ms", tried[k]->format, tried[k]->name, 1e3 * seconds[k]));
            if (seconds[k] < best.seconds) best = {tried[k], seconds[k]};
        }
        return best;
    }

    /// The format for panels: what its default rung of SpMM takes, and its default rung of SpMV.
    template <class Matrix>
    Timed<Matrix> time_panel(const Matrix& a) {
        const auto& kernel = spmm_kernels(backend_, a).back();
        const Index k = choice_.columns;
        auto x = make_vector<T>(backend_, Size{a.n_cols} * k);
        auto y = make_vector<T>(backend_, Size{a.n_rows} * k);
        upload(backend_, HostVector<T>(x.size(), T{1}), x);
        const Products trial{
            [&] { kernel.run(backend_, a, {.x = x.data(), .ldx = k, .y = y.data(), .ldy = k, .k = k}); }};
        const double seconds = product_seconds(backend_, products, trial).front();
        measured_.push_back(
            fmt::format("{}/{} {:.3g} ms for {} columns", kernel.format, kernel.name, 1e3 * seconds, k));
        return {&spmv_kernels(backend_, a).back(), seconds};
    }

    template <class Matrix>
    bool lists_kernel(const Matrix& a) const {
        const auto kernels = spmv_kernels(backend_, a);
        return std::any_of(kernels.begin(), kernels.end(),
                           [&](const auto& kernel) { return kernel.name == choice_.kernel; });
    }

    template <class Matrix>
    std::string names(const Matrix& a) const {
        std::vector<std::string_view> list;
        for (const auto& kernel : spmv_kernels(backend_, a)) list.push_back(kernel.name);
        return fmt::format("{}", fmt::join(list, ", "));
    }

    std::string sentence() const {
        if (measured_.empty()) return "the only kernel";
        return fmt::format("measured: {}; rows of {} to {} entries, {:.1f} on average", fmt::join(measured_, ", "),
                           rows_.shortest, rows_.longest, rows_.mean);
    }

    B& backend_;
    const RowStatistics& rows_;
    const FormatChoice& choice_;
    std::vector<std::string> measured_;
    std::optional<SpmvOperator<B, T>> best_;  // of the formats that challenge CSR
    std::function<void(const SpmvArguments<T>&)> best_run_;
    double best_seconds_ = std::numeric_limits<double>::infinity();
};

template <class B, class T>
ChosenOperator<B, T> choose_operator(B& backend, Csr<T, typename B::memory> a, const RowStatistics& rows,
                                     const FormatChoice& choice) {
    return OperatorChooser<B, T>(backend, rows, choice).choose(std::move(a));
}

}  // namespace stiefel
