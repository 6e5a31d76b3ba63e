#pragma once

#include "stiefel/core/memory.hpp"
#include "stiefel/spmv/coo.hpp"

#include <string>
#include <vector>

namespace stiefel::cli {

/// How a system is brought into the range of single precision: where the matrix's largest entry lies beyond 2^60 or
/// 2^-60, A and b are divided by the power of two that makes it about 1, which leaves x as it is. Then all is rounded.
class SingleRange {
public:
    /// largest: of the absolute values of all entries.
    explicit SingleRange(double largest);

    int exponent() const { return exponent_; }

    /// Throws UnsuitableInput for an entry (row, row) of the file `path` that is not zero, but no normal number then.
    void check_diagonal(Size row, double value, const std::string& path) const;
    /// For the first such entry.
    void check_diagonal(const Coo<double>& entries, const std::string& path) const;

    /// Entries divided and rounded, and how many are other numbers for it. From and to may be the same.
    template <class To>
    Size bring(const HostVector<double>& from, HostVector<To>& to, int threads) const;

    /// What there is to say of it; the number that were rounded matters of integers.
    void note(bool are_integers, Size n_rounded, std::vector<std::string>& notes) const;

private:
    double largest_;
    int exponent_;
    double factor_;
};

/// The largest absolute value, 0 of none.
double largest_of(const HostVector<double>& values, int threads);

/// What a column of vectors beside the matrix becomes.
struct BroughtColumn {
    double before = 0, after = 0;  ///< the largest absolute values

    /// Of n elements, divided by 2^exponent and rounded. From and to may be the same.
    template <class To>
    static BroughtColumn bring(int exponent, const double* from, Size n, To* to);

    /// Throws UnsuitableInput, with `name` for the vectors, where a column that is not zero has become so, or infinite.
    void check(Index column, const std::string& name) const;
};

}  // namespace stiefel::cli
