#include "stiefel/preconditioner/block_jacobi/blocks.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace stiefel::block_jacobi {

Index Blocks::largest() const {
    Index most = 0;
    for (Index b = 0; b < number(); ++b) most = std::max(most, rows(b));
    return most;
}

Size Blocks::entries() const {
    Size sum = 0;
    for (Index b = 0; b < number(); ++b) sum += Size{rows(b)} * rows(b);
    return sum;
}

Blocks given_blocks(Index n, Index size) {
    const Size number = (Size{n} + size - 1) / size;
    Blocks blocks{HostVector<Index>(number + 1)};
    for (Size b = 0; b < number; ++b) blocks.start[b] = static_cast<Index>(b * size);
    blocks.start[number] = n;
    return blocks;
}

template <class T>
HostVector<Index> row_links(OpenMP& backend, const HostCsr<T>& a) {
    HostVector<Index> links(a.n_rows);
    const Index* const cols = a.col_idx.data();
    a.row_ptr.visit([&](const auto* row_ptr) {
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (a.nnz() > 20000)
        for (Index i = 0; i < a.n_rows; ++i) {
            const Index *const begin = cols + row_ptr[i], *const end = cols + row_ptr[i + 1];
            if (i > 0 && std::equal(cols + row_ptr[i - 1], begin, begin, end)) {
                links[i] = i;
            } else {
                const Index* const diagonal = std::lower_bound(begin, end, i);
                links[i] = diagonal > begin ? diagonal[-1] : -1;
            }
        }
    });
    return links;
}

Blocks found_blocks(const HostVector<Index>& links, Index most) {
    const auto n = static_cast<Index>(links.size());
    std::vector<Index> start;
    for (Index i = 0, end = 0; i < n; i = end) {
        end = i + 1;
        while (end < n && links[end] == end && end - i < most) ++end;
        const bool joins = !start.empty() && end - start.back() <= most && links[i] >= start.back();
        if (!joins) start.push_back(i);
    }
    start.push_back(n);
    Blocks blocks{HostVector<Index>(static_cast<Size>(start.size()))};
    std::ranges::copy(start, blocks.start.begin());
    return blocks;
}

template HostVector<Index> row_links(OpenMP&, const HostCsr<double>&);
template HostVector<Index> row_links(OpenMP&, const HostCsr<float>&);

}  // namespace stiefel::block_jacobi
