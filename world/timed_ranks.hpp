#pragma once

#include "stiefel/core/timing.hpp"
#include "stiefel/world/ranks.hpp"

namespace stiefel {

/// Ranks, and how long this one waits for the others: what a report says of them. Two looks at a clock for each call.
class TimedRanks : public Ranks {
public:
    struct Spent {
        double sums = 0;  ///< seconds in sums and maxima, until all have brought theirs
        double halo = 0;  ///< seconds in exchanges that nothing hides: beginning one, and waiting for its end
        Size sent = 0;    ///< bytes of exchanges

        friend Spent operator-(const Spent& a, const Spent& b) {
            return {a.sums - b.sums, a.halo - b.halo, a.sent - b.sent};
        }
    };

    /// What is said while one lives does not count: it belongs to something else than what is timed.
    class Uncounted {
    public:
        explicit Uncounted(TimedRanks& ranks) : ranks_(ranks), before_(ranks.spent_) {}
        ~Uncounted() { ranks_.spent_ = before_; }
        Uncounted(const Uncounted&) = delete;
        Uncounted& operator=(const Uncounted&) = delete;

    private:
        TimedRanks& ranks_;
        Spent before_;
    };

    /// The ranks must outlive this object.
    explicit TimedRanks(Ranks& ranks) : ranks_(ranks) {}

    const Spent& spent() const { return spent_; }

    int rank() const override { return ranks_.rank(); }
    int size() const override { return ranks_.size(); }
    std::vector<Bytes> all_to_all(const std::vector<Bytes>& out) override { return ranks_.all_to_all(out); }
    std::unique_ptr<Mail> mail() override { return ranks_.mail(); }

    void all_sum(double* sums, Size n) override {
        timed(spent_.sums, [&] { ranks_.all_sum(sums, n); });
    }
    void all_max(double* maxima, Size n) override {
        timed(spent_.sums, [&] { ranks_.all_max(maxima, n); });
    }
    void begin(std::span<const Part> out, std::span<const Part> in) override {
        for (const Part& part : out) spent_.sent += part.bytes;
        timed(spent_.halo, [&] { ranks_.begin(out, in); });
    }
    void end() override {
        timed(spent_.halo, [&] { ranks_.end(); });
    }

private:
    template <class F>
    static void timed(double& seconds, F&& f) {
        const Stopwatch watch;
        f();
        seconds += watch.seconds();
    }

    Ranks& ranks_;
    Spent spent_;
};

}  // namespace stiefel
