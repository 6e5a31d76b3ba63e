#pragma once

#include "stiefel/core/transfer.hpp"
#include "stiefel/spmv/choose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stiefel {

inline Cuda& converter(Cuda& backend) {
    return backend;
}

/// Frees what kernels keep beside a matrix and the one chosen does not use.
template <class Matrix>
void keep_plans_of(std::string_view kernel, Matrix& a) {
    if constexpr (requires { a.bins; }) {
        if (kernel != "binned") a.bins.reset();
    }
}

/// The automatic choice on a device; see choose_operator.
template <class T>
class DeviceContest {
public:
    DeviceContest(Cuda& backend, const RowStatistics& rows, const FormatChoice& choice)
        : backend_(backend), rows_(rows), choice_(choice) {}

    /// Of all formats.
    ChosenOperator<Cuda, T> among_formats(DeviceCsr<T> a) {
        if (std::optional<DeviceSell<T>> even = without_padding(a)) {
            const auto& kernel = spmv_kernels(backend_, *even).back();
            return {SpmvOperator<Cuda, T>(std::move(*even), kernel),
                    fmt::format("expected by bytes moved: sell/{}, as rows are even{}", kernel.name, of_rows())};
        }
        make_operands(a.n_rows, a.n_cols);
        const Timed<DeviceCsr<T>> csr = time_kernels(a);
        best_seconds_ = csr.seconds;
        best_run_ = [&] { csr.kernel->run(backend_, a, arguments()); };
        keep_plans_of(csr.kernel->name, a);
        // SELL before ELLPACK, which may have more padding.
        challenge<Sell>(a, {.factor = 1.25}, "a quarter");
        const PaddingLimit limit = ellpack_padding(a.bytes());
        challenge<Ellpack>(a, limit, limit.factor > 2 ? "three quarters" : "half");
        if (best_) return {std::move(*best_), sentence()};
        return {SpmvOperator<Cuda, T>(std::move(a), *csr.kernel), sentence()};
    }

    /// Of the kernels for a matrix whose format was asked for.
    template <template <class, class> class Format>
    ChosenOperator<Cuda, T> among_kernels(Format<T, DeviceMemory> a) {
        const auto kernels = spmv_kernels(backend_, a);
        if (kernels.size() > 1) make_operands(a.n_rows, a.n_cols);
        const auto& kernel = kernels.size() == 1 ? kernels.front() : *time_kernels(a).kernel;
        keep_plans_of(kernel.name, a);
        return {SpmvOperator<Cuda, T>(std::move(a), kernel), sentence()};
    }

private:
    static constexpr int samples = 3;
    static constexpr double may_still_win = 1.1;  // times the best: more is not the clock's doing

    template <class Matrix>
    using Kernel = SpmvKernel<Cuda, Matrix>;

    template <class Matrix>
    struct Timed {
        const Kernel<Matrix>* kernel = nullptr;
        double seconds = std::numeric_limits<double>::infinity();
    };

    /// Where the rate of the memory decides, nothing moves fewer bytes than SELL whose rows fill their slices, and its
    /// threads read in the order of memory: a trial could gain no more than the padding. It took 0.15 s of the 0.86 s
    /// of a 7-point 256^3 (H200).
    std::optional<DeviceSell<T>> without_padding(const DeviceCsr<T>& a) {
        constexpr double hardly_any = 1.05;
        if (choice_.columns > 1 || a.bytes() < backend_.device().l2_bytes) return {};
        try {
            return FormatTraits<Sell>::from_csr(
                backend_, a, FormatTraits<Sell>::template shapes<DeviceMemory>(rows_)[0], {.factor = hardly_any});
        } catch (const InvalidArgument&) {  // more padding
            return {};
        } catch (const OutOfMemory&) {  // the trial says so
            return {};
        }
    }

    /// Where a matrix with its padding stays in the cache, padding costs little beside the time that a kernel takes to
    /// start (H100, real matrices); elsewhere it costs as much as entries do.
    PaddingLimit ellpack_padding(Size bytes) const {
        return {.factor = 4 * bytes <= backend_.device().l2_bytes / 2 ? 4.0 : 2.0};
    }

    /// Times another format in its shapes, and keeps it if it is the best so far. Not where rows are so uneven that
    /// padding would cost more than the format brings.
    template <template <class, class> class Format>
    void challenge(const DeviceCsr<T>& csr, PaddingLimit limit, std::string_view limit_in_words) {
        using Traits = FormatTraits<Format>;
        for (const auto& shape : Traits::template shapes<DeviceMemory>(rows_)) {
            try {
                auto a = Traits::from_csr(backend_, csr, shape, limit);
                const auto timed = time_kernels(a);
                if (!beats_the_best(a, timed)) continue;
                best_seconds_ = timed.seconds;
                best_.emplace(std::move(a), *timed.kernel);
                best_run_ = [this] { best_->run(backend_, arguments()); };
            } catch (const InvalidArgument&) {  // the size is known, and refused, before anything is built
                measured_.push_back(fmt::format("{} would be padding by more than {}", Traits::name, limit_in_words));
            } catch (const OutOfMemory&) {
                measured_.push_back(fmt::format("{} does not fit in memory", Traits::name));
            }
        }
    }

    /// Of all trials. Zeros cost what other numbers do, and need no transfer.
    void make_operands(Index n_rows, Index n_cols) {
        x_ = make_vector<T>(backend_, Size{n_cols} * choice_.columns);
        y_ = make_vector<T>(backend_, Size{n_rows} * choice_.columns);
        backend_.zero_bytes(x_.data(), x_.bytes());
    }

    SpmvArguments<T> arguments() { return {.x = x_.data(), .y = y_.data()}; }

    /// Where it is close, by a run-off of the two: the device's clock may have changed since the best was timed.
    template <class Matrix>
    bool beats_the_best(const Matrix& a, const Timed<Matrix>& timed) {
        if (choice_.columns > 1 || timed.seconds > may_still_win * best_seconds_) return timed.seconds < best_seconds_;
        const std::vector<double> seconds =
            captured_seconds(backend_, samples, {best_run_, [&] { timed.kernel->run(backend_, a, arguments()); }});
        return seconds[1] < seconds[0];
    }

    template <class Matrix>
    Timed<Matrix> time_kernels(const Matrix& a) {
        if (choice_.columns > 1) return time_panel(a);
        const auto kernels = spmv_kernels(backend_, a);
        Timed<Matrix> best;
        std::vector<const Kernel<Matrix>*> tried;
        std::vector<std::function<void()>> trials;
        for (const Kernel<Matrix>& kernel : kernels) {
            if (kernel.may_win != nullptr && !kernel.may_win(backend_, a)) continue;
            tried.push_back(&kernel);
            trials.emplace_back([&] { kernel.run(backend_, a, arguments()); });
        }
        const std::vector<double> seconds = captured_seconds(backend_, samples, trials);
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
        const std::vector<std::function<void()>> trial{
            [&] { kernel.run(backend_, a, {.x = x_.data(), .ldx = k, .y = y_.data(), .ldy = k, .k = k}); }};
        const double seconds = captured_seconds(backend_, samples, trial).front();
        measured_.push_back(
            fmt::format("{}/{} {:.3g} ms for {} columns", kernel.format, kernel.name, 1e3 * seconds, k));
        return {&spmv_kernels(backend_, a).back(), seconds};
    }

    std::string sentence() const {
        if (measured_.empty()) return "the only kernel";
        return fmt::format("measured: {}{}", fmt::join(measured_, ", "), of_rows());
    }

    std::string of_rows() const {
        return fmt::format("; rows of {} to {} entries, {:.1f} on average", rows_.shortest, rows_.longest, rows_.mean);
    }

    Cuda& backend_;
    const RowStatistics& rows_;
    const FormatChoice& choice_;
    DeviceVector<T> x_, y_;
    std::vector<std::string> measured_;
    std::optional<SpmvOperator<Cuda, T>> best_;  // of the formats that challenge CSR
    std::function<void()> best_run_;
    double best_seconds_ = std::numeric_limits<double>::infinity();
};

}  // namespace stiefel
