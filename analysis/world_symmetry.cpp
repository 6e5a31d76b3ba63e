#include "stiefel/analysis/world_symmetry.hpp"

#include "stiefel/world/exchange.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stiefel {

namespace {

/// An entry, and what it is judged by.
struct Seen {
    Index row;
    Index col;
    double value;
    double row_max;
};

/// The rows of a rank, in which mirror images are looked up.
class Rows {
public:
    Rows(const HostCsr<double>& rows, Index first) : rows_(rows), first_(first), largest_(rows.n_rows, 0.0) {
        for_all([&](Index row, Index, double value) {
            double& largest = largest_[row - first_];
            largest = std::max(largest, std::abs(value));
        });
    }

    double largest(Index row) const { return largest_[row - first_]; }

    template <class F>
    void for_all(F&& f) const {
        rows_.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < rows_.n_rows; ++i) {
                for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) f(first_ + i, rows_.col_idx[k], rows_.values[k]);
            }
        });
    }

    /// Compares an entry with its image, which belongs to these rows. A pair is compared once: from its upper entry, or
    /// from the only one.
    void compare(const Seen& entry, double tolerance, PartialSymmetry& found) const {
        const auto [row, col, value, row_max] = entry;
        const double* const image = at(col, row);
        if (image == nullptr) found.unmirrored.add(row, col);
        if (row > col && image != nullptr) return;
        const double mirrored = image != nullptr ? *image : 0.0;
        if (value == mirrored) return;
        const double relative = asymmetry(value, mirrored, row_max, largest(col));
        found.add(row < col ? MirroredPair{row, col, value, mirrored, relative}
                            : MirroredPair{col, row, mirrored, value, relative},
                  tolerance);
    }

private:
    /// nullptr where there is none.
    const double* at(Index row, Index col) const {
        return rows_.row_ptr.visit([&](const auto* row_ptr) -> const double* {
            const Index* const begin = rows_.col_idx.data() + row_ptr[row - first_];
            const Index* const end = rows_.col_idx.data() + row_ptr[row - first_ + 1];
            const Index* const found = std::lower_bound(begin, end, col);
            return found != end && *found == col ? rows_.values.data() + (found - rows_.col_idx.data()) : nullptr;
        });
    }

    const HostCsr<double>& rows_;
    Index first_;
    HostVector<double> largest_;
};

}  // namespace

SymmetryInfo check_symmetry(Ranks& ranks, const RowBlocks& blocks, const HostCsr<double>& rows, double tolerance) {
    const Index first = static_cast<Index>(blocks.first(ranks.rank()));
    const Rows here(rows, first);
    PartialSymmetry found;
    std::vector<std::vector<Seen>> of_others(static_cast<std::size_t>(ranks.size()));
    here.for_all([&](Index row, Index col, double value) {
        if (row == col) return;
        const Seen entry{row, col, value, here.largest(row)};
        const int owner = blocks.owner(col);
        if (owner == ranks.rank()) return here.compare(entry, tolerance, found);
        of_others[static_cast<std::size_t>(owner)].push_back(entry);
    });
    std::vector<Ranks::Bytes> out;
    for (const auto& entries : of_others) out.push_back(bytes_of(std::span<const Seen>(entries)));
    std::vector<Seen> of_here;
    for (const Ranks::Bytes& bytes : ranks.all_to_all(out)) append_values(bytes, of_here);
    for (const Seen& entry : of_here) here.compare(entry, tolerance, found);

    PartialSymmetry of_all;
    for (const SymmetryInfo& of_rank : told_to_all(ranks, static_cast<const SymmetryInfo&>(found)))
        of_all.merge(of_rank);
    return of_all;
}

}  // namespace stiefel
