#include "stiefel/preconditioner/fsai/factor.hpp"

#include "stiefel/core/memory.hpp"
#include "stiefel/preconditioner/fsai/couplings.hpp"
#include "stiefel/preconditioner/fsai/grown_patterns.hpp"
#include "stiefel/preconditioner/fsai/local_systems.hpp"
#include "stiefel/spmv/products/row_offsets.hpp"
#include "stiefel/spmv/scan.hpp"

#include <algorithm>
#include <exception>
#include <numeric>
#include <utility>

namespace stiefel::fsai {

namespace {

constexpr Index rows_per_chunk = 256;

/// Rows of G, one behind the other.
struct Rows {
    std::vector<Index> cols;
    std::vector<double> values;
};

/// Computes rows of G, a chunk at a time; one for each thread.
template <class Patterns>
class RowMaker {
public:
    RowMaker(const HostCsr<double>& s, Patterns patterns, double drop, double least_pivot)
        : s_(s),
          patterns_(std::move(patterns)),
          drop_(drop),
          least_pivot_(least_pivot),
          place_(static_cast<std::size_t>(s.n_rows), 0) {}

    /// Rows begin .. end - 1, their lengths in lengths[begin ...].
    Rows make(Index begin, Index end, Size* lengths) {
        cols_.clear();
        start_.assign(1, 0);
        for (Index i = begin; i < end; ++i) {
            patterns_.append(i, cols_);
            start_.push_back(cols_.size());
        }
        values_.resize(cols_.size());
        order_.resize(static_cast<std::size_t>(end - begin));
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::ranges::stable_sort(order_, {}, [&](std::size_t r) { return length(r); });
        for (std::size_t first = 0; first < order_.size(); first += LocalSystems::lanes) {
            solve(first, std::min(order_.size() - first, std::size_t{LocalSystems::lanes}));
        }
        return kept(lengths + begin);
    }

    Index jacobi_rows() const { return jacobi_rows_; }

private:
    Index length(std::size_t row) const { return static_cast<Index>(start_[row + 1] - start_[row]); }

    /// The rows order_[first], ..., the last of which is the longest.
    void solve(std::size_t first, std::size_t count) {
        const Index order = length(order_[first + count - 1]);
        systems_.reset(order);
        for (std::size_t w = 0; w < count; ++w) gather(order_[first + w], static_cast<int>(w), order);
        systems_.factor(least_pivot_);
        systems_.solve();
        const auto n = static_cast<int>(count);
        if (drop_ > 0) {
            for (int w = 0; w < n; ++w) drop(w, order);
            const LocalSystems::Numbers energy = systems_.energy();
            for (int w = 0; w < n; ++w)
                take(order_[first + static_cast<std::size_t>(w)], w, order, 1 / std::sqrt(energy[w]));
        } else {
            for (int w = 0; w < n; ++w) take(order_[first + static_cast<std::size_t>(w)], w, order, 1);
        }
    }

    /// S_JJ of a row with columns J.
    void gather(std::size_t row, int lane, Index order) {
        const Index n = length(row), pad = order - n;
        const Index* const cols = cols_.data() + start_[row];
        const auto place = [&](Index col) -> Index& { return place_[static_cast<std::size_t>(col)]; };
        for (Index k = 0; k < n; ++k) place(cols[k]) = pad + k - order;  // others: 0, behind the end of the row
        s_.row_ptr.visit([&](const auto* row_ptr) {
            for (Index k = 0; k < n; ++k) {
                LocalSystems::Numbers* const to = systems_.row(pad + k) + order;
                const Index last = cols[k];
                for (Size e = row_ptr[last]; s_.col_idx[e] < last; ++e) {
                    to[place(s_.col_idx[e])][lane] = s_.values[e];
                }
            }
        });
        for (Index k = 0; k < n; ++k) place(cols[k]) = 0;
    }

    void drop(int lane, Index order) {
        const double least = drop_ * systems_.x(order - 1)[lane];
        for (Index k = 0; k + 1 < order; ++k) {
            double& x = systems_.x(k)[lane];
            if (!(std::abs(x) > least)) x = 0;
        }
    }

    void take(std::size_t row, int lane, Index order, double scale) {
        const Index n = length(row);
        double* const values = values_.data() + start_[row];
        if (systems_.fails(lane)) {
            std::fill_n(values, n, 0.0);
            values[n - 1] = 1;
            ++jacobi_rows_;
            return;
        }
        for (Index k = 0; k < n; ++k) values[k] = scale * systems_.x(order - n + k)[lane];
    }

    /// What is not zero.
    Rows kept(Size* lengths) const {
        Rows rows;
        rows.cols.reserve(cols_.size());
        rows.values.reserve(cols_.size());
        for (std::size_t r = 0; r < order_.size(); ++r) {
            const std::size_t before = rows.cols.size();
            for (std::size_t k = start_[r]; k < start_[r + 1]; ++k) {
                if (values_[k] == 0) continue;
                rows.cols.push_back(cols_[k]);
                rows.values.push_back(values_[k]);
            }
            lengths[r] = static_cast<Size>(rows.cols.size() - before);
        }
        return rows;
    }

    const HostCsr<double>& s_;
    Patterns patterns_;
    double drop_, least_pivot_;
    LocalSystems systems_;
    std::vector<Index> place_;  // of a column in the row at hand, less the order; else 0
    std::vector<Index> cols_;
    std::vector<double> values_;
    std::vector<std::size_t> start_, order_;
    Index jacobi_rows_ = 0;
};

/// At most so many entries has G.
double most_entries(OpenMP& backend, const HostCsr<double>& couplings, const Options& options) {
    const Index n = couplings.n_rows;
    const Size power = options.power;
    Size sum = 0;
    couplings.row_ptr.visit([&](const auto* row_ptr) {
#pragma omp parallel for num_threads(backend.threads()) schedule(static) reduction(+ : sum) if (n > 4096)
        for (Index i = 0; i < n; ++i) {
            Size most = std::min(i + 1, Options::longest_row);
            if (options.steps > 0) {
                most = std::min<Size>(most, most_grown(options.steps));
            } else if (power <= 2) {
                Size products = 0;
                for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                    const Index j = couplings.col_idx[e];
                    products += power == 2 ? row_ptr[j + 1] - row_ptr[j] : j <= i;
                }
                most = std::min(most, products);
            }
            sum += most;
        }
    });
    return static_cast<double>(sum);
}

/// For G as it is found, as a matrix, transposed, and both in the formats of products.
void require_room(double entries, Index n) {
    constexpr double bytes_an_entry = 60, bytes_a_row = 80;
    const auto needed = static_cast<Size>(bytes_an_entry * entries + bytes_a_row * n);
    if (const Size available = available_memory(); needed > available) {
        throw OutOfMemory("the factor of fsai", needed, available);
    }
}

HostCsr<double> put_together(OpenMP& backend, std::vector<Rows> chunks, HostVector<Size> ends) {
    const Index n = static_cast<Index>(ends.size() - 1);
    inclusive_scan(backend, ends.data(), ends.size());
    HostCsr<double> g{
        .n_rows = n, .n_cols = n, .col_idx = HostVector<Index>(ends[n]), .values = HostVector<double>(ends[n])};
#pragma omp parallel for num_threads(backend.threads()) schedule(dynamic, 16) if (chunks.size() > 16)
    for (std::size_t c = 0; c < chunks.size(); ++c) {
        const Size to = ends[static_cast<Size>(c) * rows_per_chunk];
        std::ranges::copy(chunks[c].cols, g.col_idx.data() + to);
        std::ranges::copy(chunks[c].values, g.values.data() + to);
        chunks[c] = {};
    }
    g.row_ptr = row_offsets(backend, std::move(ends));
    return g;
}

/// patterns(): those of a thread.
template <class MakePatterns>
Factor made_of(OpenMP& backend, const HostCsr<double>& s, double drop, double least_pivot,
               const MakePatterns& patterns) {
    using Maker = RowMaker<decltype(patterns())>;
    const Index n = s.n_rows;
    const Index n_chunks = (n + rows_per_chunk - 1) / rows_per_chunk;
    std::vector<Rows> chunks(static_cast<std::size_t>(n_chunks));
    HostVector<Size> ends(Size{n} + 1, 0);
    Index jacobi_rows = 0;
    std::exception_ptr failure;  // none may leave a parallel region
#pragma omp parallel num_threads(backend.threads()) reduction(+ : jacobi_rows) if (n_chunks > 1)
    {
        std::unique_ptr<Maker> maker;
#pragma omp for schedule(dynamic)
        for (Index c = 0; c < n_chunks; ++c) {
            try {
                if (!maker) maker = std::make_unique<Maker>(s, patterns(), drop, least_pivot);
                const Index begin = c * rows_per_chunk;
                chunks[static_cast<std::size_t>(c)] =
                    maker->make(begin, std::min(n - begin, rows_per_chunk) + begin, ends.data() + 1);
            } catch (...) {
#pragma omp critical(stiefel_fsai_factor)
                failure = std::current_exception();
            }
        }
        if (maker) jacobi_rows += maker->jacobi_rows();
    }
    if (failure) std::rethrow_exception(failure);
    return {put_together(backend, std::move(chunks), std::move(ends)), jacobi_rows};
}

}  // namespace

Factor factor(OpenMP& backend, const HostCsr<double>& s, const Options& options, double least_pivot) {
    check(options);
    const HostCsr<double> couplings = strong_couplings(backend, s, options.threshold);
    require_room(most_entries(backend, couplings, options), s.n_rows);
    if (options.steps > 0) {
        return made_of(backend, s, options.drop, least_pivot,
                       [&] { return GrownPatterns(s, couplings, options.steps, least_pivot); });
    }
    return made_of(backend, s, options.drop, least_pivot, [&] { return RowPatterns(couplings, options.power); });
}

}  // namespace stiefel::fsai
