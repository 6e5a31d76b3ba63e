#include "stiefel/preconditioner/block_jacobi/inverse.hpp"

#include "stiefel/core/memory.hpp"
#include "stiefel/preconditioner/fsai/local_systems.hpp"
#include "stiefel/spmv/products/row_offsets.hpp"

#include <omp.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace stiefel::block_jacobi {

namespace {

using fsai::LocalSystems;

/// For M as it is found, and in CSR and the format of products.
void require_room(const Blocks& blocks, Index n) {
    constexpr Size bytes_an_entry = 44, bytes_a_row = 80;
    const Size needed = bytes_an_entry * blocks.entries() + bytes_a_row * n;
    if (const Size available = available_memory(); needed > available) {
        throw OutOfMemory("the blocks of block-jacobi", needed, available);
    }
}

/// Where each row begins.
HostVector<Size> row_ends(const Blocks& blocks, Index n) {
    HostVector<Size> ends(Size{n} + 1);
    Size end = 0;
    for (Index b = 0; b < blocks.number(); ++b) {
        for (Index i = blocks.start[b]; i < blocks.start[b + 1]; ++i) {
            ends[i] = end;
            end += blocks.rows(b);
        }
    }
    ends[n] = end;
    return ends;
}

/// Inverts some blocks at a time; one for each thread.
template <class T>
class BlockMaker {
public:
    /// Takes all memory that it will need.
    BlockMaker(const HostCsr<T>& a, const HostVector<double>& inverse_roots, const Blocks& blocks)
        : a_(a), inverse_roots_(inverse_roots), blocks_(blocks) {
        systems_.reset(blocks.largest());
    }

    /// Blocks begin .. end - 1, to where the rows of M begin; the number of those that failed.
    Index make(Index begin, Index end, double least_pivot, const HostVector<Size>& starts, HostCsr<double>& m) {
        Index order = 0;
        for (Index b = begin; b < end; ++b) order = std::max(order, blocks_.rows(b));
        systems_.reset(order);
        for (Index b = begin; b < end; ++b) gather(b, b - begin, order);
        systems_.factor(least_pivot);
        systems_.invert();
        Index failed = 0;
        for (Index b = begin; b < end; ++b) {
            failed += systems_.fails(b - begin);
            take(b, b - begin, order, starts, m);
        }
        return failed;
    }

private:
    void gather(Index b, int lane, Index order) {
        const Index first = blocks_.start[b], pad = order - blocks_.rows(b);
        const Index* const cols = a_.col_idx.data();
        a_.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = first; i < blocks_.start[b + 1]; ++i) {
                LocalSystems::Numbers* const to = systems_.row(pad + i - first) + pad;
                const Index* const end = cols + row_ptr[i + 1];
                for (const Index* col = std::lower_bound(cols + row_ptr[i], end, first); *col < i; ++col) {
                    const double value = static_cast<double>(a_.values[col - cols]);
                    to[*col - first][lane] = inverse_roots_[i] * inverse_roots_[*col] * value;
                }
            }
        });
    }

    void take(Index b, int lane, Index order, const HostVector<Size>& starts, HostCsr<double>& m) {
        const Index first = blocks_.start[b], n = blocks_.rows(b), pad = order - n;
        const bool fails = systems_.fails(lane);
        for (Index i = 0; i < n; ++i) {
            const Size to = starts[first + i];
            for (Index j = 0; j < n; ++j) {
                const double inverse = systems_.row(pad + std::max(i, j))[pad + std::min(i, j)][lane];
                m.col_idx[to + j] = first + j;
                m.values[to + j] = fails ? static_cast<double>(i == j) : inverse;
            }
        }
    }

    const HostCsr<T>& a_;
    const HostVector<double>& inverse_roots_;
    const Blocks& blocks_;
    LocalSystems systems_;
};

}  // namespace

template <class T>
Inverse inverse(OpenMP& backend, const HostCsr<T>& a, const HostVector<double>& inverse_roots, const Blocks& blocks,
                double least_pivot) {
    const Index n = a.n_rows, number = blocks.number();
    require_room(blocks, n);
    HostVector<Size> starts = row_ends(blocks, n);
    Inverse found{.m = {.n_rows = n,
                        .n_cols = n,
                        .col_idx = HostVector<Index>(starts[n]),
                        .values = HostVector<double>(starts[n])}};
    std::vector<BlockMaker<T>> makers;
    for (int t = 0; t < backend.threads(); ++t) makers.emplace_back(a, inverse_roots, blocks);
    Index failed = 0;
#pragma omp parallel for num_threads(backend.threads()) schedule(dynamic, 16) reduction(+ : failed) if (n > 4096)
    for (Index b = 0; b < number; b += LocalSystems::lanes) {
        BlockMaker<T>& maker = makers[static_cast<std::size_t>(omp_get_thread_num())];
        failed += maker.make(b, std::min(number, b + LocalSystems::lanes), least_pivot, starts, found.m);
    }
    found.jacobi_blocks = failed;
    found.m.row_ptr = row_offsets(backend, std::move(starts));
    return found;
}

template Inverse inverse(OpenMP&, const HostCsr<double>&, const HostVector<double>&, const Blocks&, double);
template Inverse inverse(OpenMP&, const HostCsr<float>&, const HostVector<double>&, const Blocks&, double);

}  // namespace stiefel::block_jacobi
