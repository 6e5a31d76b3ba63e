#include "stiefel/preconditioner/ssor/colouring.hpp"

#include <algorithm>
#include <vector>

namespace stiefel::ssor {

template <class T>
Colouring greedy_colouring(const HostCsr<T>& a) {
    Colouring colouring{.colour = HostVector<Index>(a.n_rows)};
    std::vector<Index> last_to_see = {-1};  // of each colour that there is, and the next: a row coupled to it
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size e = row_ptr[i]; e < row_ptr[i + 1] && a.col_idx[e] < i; ++e) {
                last_to_see[static_cast<std::size_t>(colouring.colour[a.col_idx[e]])] = i;
            }
            const auto free = std::find_if(last_to_see.begin(), last_to_see.end(), [i](Index row) { return row != i; });
            const auto own = static_cast<Index>(free - last_to_see.begin());
            colouring.colour[i] = own;
            if (own == colouring.n_colours) {
                ++colouring.n_colours;
                last_to_see.push_back(-1);
            }
        }
    });
    return colouring;
}

RowsByColour rows_by_colour(Index n_colours, const HostVector<Index>& colour) {
    RowsByColour rows{HostVector<Index>(Size{n_colours} + 1, 0), HostVector<Index>(colour.size())};
    for (const Index own : colour) ++rows.start[own + 1];
    for (Index c = 0; c < n_colours; ++c) rows.start[c + 1] += rows.start[c];
    HostVector<Index> next = rows.start.clone();
    for (Index i = 0; i < static_cast<Index>(colour.size()); ++i) rows.row[next[colour[i]]++] = i;
    return rows;
}

template Colouring greedy_colouring(const HostCsr<double>&);
template Colouring greedy_colouring(const HostCsr<float>&);

}  // namespace stiefel::ssor
