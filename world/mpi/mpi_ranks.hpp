#pragma once

#include "stiefel/world/ranks.hpp"

#include <cstdint>
#include <memory>

namespace stiefel {

/// The processes that mpirun has started, joined by MPI. One object a process, made and used by the thread that MPI was
/// begun with; what mail() gives may be used by another. Sums are taken in the order of ranks, so they are the same
/// bits in each rank and in every run, whatever the MPI library does with sums.
class MpiRanks : public Ranks {
public:
    /// Begins MPI unless the process has; what began it here ends it.
    MpiRanks();
    ~MpiRanks() override;
    MpiRanks(const MpiRanks&) = delete;
    MpiRanks& operator=(const MpiRanks&) = delete;

    int rank() const override;
    int size() const override;
    void all_sum(double* sums, Size n) override;
    void all_max(double* maxima, Size n) override;
    std::vector<Bytes> all_to_all(const std::vector<Bytes>& out) override;
    void begin(std::span<const Part> out, std::span<const Part> in) override;
    void end() override;
    /// None where MPI serves one thread alone.
    std::unique_ptr<Mail> mail() override;

    /// Whether this process is the first to say that it has to end all, because of what goes wrong in it while others
    /// wait for it: of several that fail at once on a host one has the word, and of hosts' as good as always one, after
    /// up to nine seconds. Needs no memory, and nothing of MPI. Not for the others to take part in.
    bool is_first_to_fail();

    /// Ends all processes with this exit code, at once.
    [[noreturn]] void abort(int exit_code);

private:
    struct Requests;

    /// values[i] become what two(a, b) makes of those of all ranks, in their order, from 0 on.
    template <class Combine>
    void combine(double* values, Size n, Combine&& two);

    std::unique_ptr<Requests> requests_;
    std::vector<double> gathered_;
    bool began_here_ = false;
    std::uint64_t job_ = 0;  ///< the same in all ranks
    int hosts_before_ = 0;   ///< those of ranks before the first one on this host
};

}  // namespace stiefel
