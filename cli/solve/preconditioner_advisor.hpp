#pragma once

#include "stiefel/cli/report/weighed_preconditioner.hpp"
#include "stiefel/cli/terminal/convergence_forecast.hpp"

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stiefel::cli {

/// Whether a light preconditioner should give way to a strong one, whose set-up costs as much as many iterations, and
/// perhaps the strong one again to the light: from the residuals of conjugate gradients as they go. A first, simple
/// rule; nothing in it knows what they are. Of several strong ones it takes that which is to cost least.
///
/// The light one is forecast after 10, 15, 20 and 30 iterations, by the rate of the later half of them; where the
/// residual falls in jumps by the rate of all, if that is faster; later by that of the later half, or of all and half
/// as many again, if that is faster; and where it has not fallen at all no end is in sight. It gives way if what is to
/// be expected takes longer than the strong one, before 30 iterations only if the residual falls steadily by then, or
/// is larger than at first. That it can be: at most by the square root of the condition number, which is what
/// iterations grow with, and is looked at after 5 already, or where a strong one says so. Early forecasts are too low
/// as a rule, as conjugate gradients do best at first: those that say enough need not wait for the next. Strong ones
/// whose set-up takes no longer than some hundred iterations wait for the look that is wrong least often; and are
/// considered once more when as many are done, as not much is lost if few follow. The strong one is looked at after its
/// 20th iteration and whenever it has gone half as far again, and gives way if what it still needs would take twice the
/// time that the light one was expected to take for as much. A last resort is considered when about as long has been
/// iterated as it is to take, so that at most twice the time of the better is lost, and then whenever that has doubled,
/// of the light one and of another strong one; sooner where it is said to be, if no end is in sight; and where a strong
/// one fails. So a run can only end after iterations that are known when it begins, and where times are expected
/// instead of measured it ends there every time.
class PreconditionerAdvisor {
public:
    /// What a solve with the strong one takes, set-up and all, in the measure of the forecast, which is below the truth
    /// for long solves: as long as so many iterations of the light one and this share of those that it is expected to
    /// take, and so many seconds beside them.
    struct Cost {
        double iterations = 150;
        double seconds = 0;
        double share = 0;
        std::optional<double> setup = {};  ///< seconds of the set-up among them, where they are known; for reports
    };

    struct Estimate {
        Cost cost;
        bool is_exact = false;  ///< of what is left to do; or that all costs at least
    };

    struct Strong {
        std::string_view name;
        Cost cost = {};  ///< at the least, where there is more to ask
        /// What it costs by a closer look, which costs something itself: asked only where `cost` would repay, and until
        /// it is exact. Its arguments are the iterations of the light one that are to be expected, and whether these
        /// are the least that there may be.
        std::function<Estimate(double, bool)> closer = {};
        bool is_exact = false;   ///< it has said so
        Size from = 0;           ///< considered after so many iterations of the light one, or where its residual grows
        Size again = 0;          ///< and once more after so many, where forecasts before said too little
        bool is_watched = true;  ///< it may turn out to be slower than the light one
        bool is_last_resort = false;  ///< `from` counts wherever the residual goes, and of strong ones that run as well
        Size where_hopeless = 0;      ///< of a last resort: instead of `from` where no end is in sight; 0: as much
        double where_grown = 1;  ///< of its fixed costs this share counts where the residual has grown: for one that is
                                 ///< rather taken then, as such forecasts are too low more often than not
    };

    static constexpr std::array<Size, 5> light_looks{5, 10, 15, 20, 30};  ///< and those that the strong ones name
    static constexpr Size watched_from = 20;                              ///< and then after 30, 45, 67, ...
    static constexpr double patience = 2;

    enum class Stage { light_at_first, strong, decided };

    /// target: relative residual at which the solve ends; strong: one or more; the names are for reason().
    PreconditionerAdvisor(double target, Size max_iterations, std::string_view light, std::vector<Strong> strong);

    /// A strong one is taken without a look at the light one, of which so many iterations at the least were expected,
    /// each to take `seconds`; and watched only by a last resort. Before the first iteration.
    void begin_with(std::string_view strong, double iterations, double seconds, std::string why);

    Stage stage() const { return stage_; }

    /// The strong one that was decided for; empty while none is.
    std::string_view strong() const { return chosen_; }

    /// The iterations of the run that begins now after which it may give way, ascending.
    std::vector<Size> looks() const;

    /// Takes in an iteration of the run that goes on, `seconds` after that began; 0 is its beginning. True: the one
    /// that runs gives way, and the stage has moved on.
    bool gives_way(Size iteration, double relative_residual, double seconds);

    /// A solve has ended by itself: what it ended with serves those that follow, which are watched no longer.
    void end_solve();

    /// The strong one cannot be had, or failed: the light one goes on to the end.
    void refuse_strong(std::string_view why);

    /// Of the one that runs, as far as can be told from the residuals of its run.
    double expected_iterations() const;

    /// One that may still be taken.
    bool has_last_resort() const { return stage_ != Stage::decided && last_resort() != nullptr; }

    /// The strong one failed after `seconds`: whether the last resort goes on, which it does where it is to take less
    /// than some times as long.
    bool takes_last_resort(std::string_view why, double seconds);

    /// What was decided and why: "after 30 iterations with jacobi some 600 more were to be expected"; empty while
    /// nothing was.
    const std::string& reason() const { return reason_; }

    /// What was expected of each when it was last looked at, the light one first.
    const std::vector<WeighedPreconditioner>& weighed() const { return weighed_; }

private:
    /// What runs is not to give way whatever comes.
    bool is_settled() const {
        return stage_ == Stage::decided || (stage_ == Stage::strong && !is_watched_ && last_resort() == nullptr);
    }
    /// That has not been taken; null: there is none.
    const Strong* last_resort() const { return last_resort_of(*this); }
    Strong* last_resort() { return last_resort_of(*this); }
    template <class Self>
    static auto last_resort_of(Self& self) -> decltype(&self.strong_.front()) {
        for (auto& one : self.strong_) {
            if (one.is_last_resort && one.name != self.chosen_) return &one;
        }
        return nullptr;
    }
    Size first_look() const;
    bool light_gives_way(Size iteration, double relative_residual, double seconds);
    double seconds_of(const Strong& strong) const {
        const Cost& cost = strong.cost;
        const double fixed = cost.iterations * light_seconds_ + cost.seconds;
        return (has_grown_ ? strong.where_grown : 1) * fixed + cost.share * light_iterations_ * light_seconds_;
    }
    bool is_considered(const Strong& strong, Size iteration) const {
        if (strong.from <= iteration) return true;
        if (!strong.is_last_resort) return has_grown_;
        return strong.where_hopeless > 0 && strong.where_hopeless <= iteration && !forecast_.iterations_to_target();
    }
    /// By a closer look where what is known so far is less than that many; so many of the light one are to follow.
    double seconds_closer(Strong& strong, double seconds, double light_iterations);
    bool may_repay(Size iteration) const;
    void choose(Size iteration);
    void weigh_light(Size iteration, bool at_least);
    void weigh(Size iteration);
    WeighedPreconditioner weighed_as(const Strong& strong, std::optional<Size> after) const;
    void say(Size iteration);
    std::string considered(Size iteration) const;
    bool strong_gives_way(Size iteration, double relative_residual, double seconds);
    bool last_resort_repays(Size iteration, double seconds);
    void take_last_resort(std::string_view why);

    double target_;
    double first_residual_ = std::numeric_limits<double>::infinity();
    Size max_iterations_;
    std::string_view light_, chosen_ = {};
    std::vector<Strong> strong_;
    Stage stage_ = Stage::light_at_first;
    Size next_look_ = 0;
    bool is_watched_ = true;  // the strong one
    bool has_grown_ = false;  // the residual, when it was looked at
    ConvergenceForecast forecast_;
    double light_iterations_ = 0;  ///< that were expected of the light one ...
    double light_way_ = 1;         ///< ... for so many powers of e of the residual
    double light_seconds_ = 0;     ///< of one iteration
    std::string reason_ = {};
    std::vector<WeighedPreconditioner> weighed_ = {};
};

}  // namespace stiefel::cli
