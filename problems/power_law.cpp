#include "stiefel/problems/power_law.hpp"

#include "stiefel/problems/arguments.hpp"
#include "stiefel/problems/build_csr.hpp"
#include "stiefel/problems/random.hpp"

#include <algorithm>
#include <cmath>

namespace stiefel {

namespace {

constexpr const char* power_law_name = "power_law_rows";

Size row_length(const RandomRow& random, Index n_cols, const PowerLawOptions& options) {
    const double expected = options.mean * (1 - options.exponent) * std::pow(random.uniform(0), -options.exponent);
    const double rounded = std::floor(expected + random.uniform(1));
    return static_cast<Size>(std::min<double>(rounded, n_cols));
}

/// The rows, for build_csr.
struct PowerLaw {
    Index n_cols;
    PowerLawOptions options;

    template <class Number, class Emit>
    void operator()(Number i, const Emit& emit) const {
        const RandomRow random(options.seed, i);
        const Size length = row_length(random, n_cols, options);
        // The w are drawn in ascending order (Bentley and Saxe 1980): the chance that none of the m that are left lies
        // in the next part of what remains is that part to the power m. A column that is taken passes the entry on to
        // the next; what lies to the right must leave room for the entries to come.
        double remaining = 1;
        Size column = -1;
        for (Size k = 0; k < length; ++k) {
            remaining *= std::pow(random.uniform(2 * k + 2), 1.0 / static_cast<double>(length - k));
            const auto drawn = static_cast<Size>(n_cols * std::pow(1 - remaining, options.skew));
            column = std::min(std::max(drawn, column + 1), n_cols - (length - k));
            emit(column, 2 * random.uniform(2 * k + 3) - 1);
        }
    }
};

PowerLaw checked(Index n_rows, Index n_cols, const PowerLawOptions& options) {
    check_at_least(power_law_name, "n_rows", n_rows, 0);
    check_at_least(power_law_name, "n_cols", n_cols, 0);
    check_at_least(power_law_name, "mean", options.mean, 0);
    check_at_least(power_law_name, "exponent", options.exponent, 0);
    check_below(power_law_name, "exponent", options.exponent, 1);
    check_at_least(power_law_name, "skew", options.skew, 1);
    return {n_cols, options};
}

}  // namespace

template <class T>
HostCsr<T> power_law_rows(OpenMP& backend, Index n_rows, Index n_cols, const PowerLawOptions& options) {
    return build_csr<T>(backend, n_rows, n_cols, checked(n_rows, n_cols, options));
}

RowSource power_law_source(Index n_rows, Index n_cols, const PowerLawOptions& options) {
    return row_source(n_rows, n_cols, checked(n_rows, n_cols, options));
}

template HostCsr<float> power_law_rows(OpenMP&, Index, Index, const PowerLawOptions&);
template HostCsr<double> power_law_rows(OpenMP&, Index, Index, const PowerLawOptions&);

}  // namespace stiefel
