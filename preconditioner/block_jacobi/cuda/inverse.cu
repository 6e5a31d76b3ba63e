#include "stiefel/preconditioner/block_jacobi/cuda/inverse.hpp"

#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/preconditioner/block_jacobi/options.hpp"
#include "stiefel/preconditioner/fsai/cuda/local_systems.cuh"

#include <cstdint>
#include <utility>

namespace stiefel::block_jacobi {

namespace {

using fsai::LocalSystem;
using fsai::ScaledView;
using fsai::Team;

/// L^-1 in place of L, row by row: the lane takes a column.
template <int lanes>
__device__ void invert_factor(const Team<lanes>& team, LocalSystem<lanes>& system, int order) {
    const int c = team.lane;
    for (int i = 0; i < order; ++i) {
        double sum = 0;
        for (int k = c; k < i; ++k) sum += system.row(i)[k] * system.row(k)[c];
        team.sync();
        if (c < i) system.row(i)[c] = -sum * system.inverse[i];
        if (c == i) system.row(i)[i] = system.inverse[i];
        team.sync();
    }
}

/// Where a block's entries of M go.
template <class Offset>
struct Target {
    Offset* row_ptr;  ///< of M; the first is there
    Index* col_idx;
    double* values;
};

/// Blocks of at most `lanes` rows, as many as teams. base: of a block's entries in M.
template <int lanes, class Offset>
__global__ void __launch_bounds__(Team<lanes>::threads)
    invert_kernel(ScaledView s, Index n_blocks, const Index* start, const Size* base, double least_pivot,
                  Target<Offset> m, unsigned* jacobi_blocks) {
    __shared__ LocalSystem<lanes> systems[Team<lanes>::in_block];
    const Team<lanes> team;
    const Size block = Size{blockIdx.x} * Team<lanes>::in_block + team.number;
    if (block >= n_blocks) return;
    LocalSystem<lanes>& system = systems[team.number];
    const Index first = start[block];
    const int order = start[block + 1] - first, c = team.lane;
    if (c < order) system.cols[c] = first + c;
    if (c == 0) system.fails = 0;
    team.sync();
    gather(team, s, system, order);
    factor(team, system, order, least_pivot);
    invert_factor(team, system, order);
    if (c == 0 && system.fails != 0) atomicAdd(jacobi_blocks, 1u);
    if (c >= order) return;
    const bool fails = system.fails != 0;
    const Size to = base[block];
    m.row_ptr[Size{first} + c + 1] = static_cast<Offset>(to + Size{c + 1} * order);
    for (int i = 0; i < order; ++i) {
        double sum = 0;
        for (int k = max(i, c); k < order; ++k) sum += system.row(k)[i] * system.row(k)[c];
        m.col_idx[to + Size{i} * order + c] = first + c;
        m.values[to + Size{i} * order + c] = fails ? (i == c ? 1.0 : 0.0) : sum;
    }
}

/// Entries of the blocks before each.
HostVector<Size> bases(const Blocks& blocks) {
    HostVector<Size> base(blocks.number());
    Size next = 0;
    for (Index b = 0; b < blocks.number(); ++b) {
        base[b] = next;
        next += Size{blocks.rows(b)} * blocks.rows(b);
    }
    return base;
}

class Inversion {
public:
    Inversion(Cuda& backend, const ScaledView& s, const Blocks& blocks, double least_pivot)
        : backend_(backend),
          s_(s),
          n_blocks_(blocks.number()),
          largest_(blocks.largest()),
          least_pivot_(least_pivot),
          start_(backend, blocks.start.size()),
          base_(backend, n_blocks_),
          jacobi_blocks_(backend, 1) {
        upload(backend, blocks.start, start_);
        upload(backend, bases(blocks), base_);
        backend.zero_bytes(jacobi_blocks_.data(), jacobi_blocks_.bytes());
    }

    template <class Offset>
    RowOffsets<DeviceMemory> fill(DeviceCsr<double>& m) {
        DeviceVector<Offset> row_ptr(backend_, Size{s_.a.n_rows} + 1);
        backend_.zero_bytes(row_ptr.data(), sizeof(Offset));
        const Target<Offset> target{row_ptr.data(), m.col_idx.data(), m.values.data()};
        if (largest_ <= 8) {
            start<8>(target);
        } else if (largest_ <= 16) {
            start<16>(target);
        } else {
            start<32>(target);
        }
        return RowOffsets<DeviceMemory>(std::move(row_ptr));
    }

    Index jacobi_blocks() { return static_cast<Index>(load(backend_, jacobi_blocks_)); }

private:
    template <int lanes, class Offset>
    void start(const Target<Offset>& m) {
        if (n_blocks_ == 0) return;
        constexpr Size in_block = Team<lanes>::in_block;
        const auto grid = static_cast<unsigned>((n_blocks_ + in_block - 1) / in_block);
        invert_kernel<lanes><<<grid, Team<lanes>::threads, 0, backend_.stream()>>>(
            s_, n_blocks_, start_.data(), base_.data(), least_pivot_, m, jacobi_blocks_.data());
        check_cuda(cudaGetLastError(), "inverting the blocks of block-jacobi");
    }

    Cuda& backend_;
    const ScaledView s_;
    Index n_blocks_, largest_;
    double least_pivot_;
    DeviceVector<Index> start_;
    DeviceVector<Size> base_;
    DeviceVector<unsigned> jacobi_blocks_;
};

/// For M, and in the format of products.
void require_room(const Cuda& backend, Size entries, Index n) {
    constexpr Size bytes_an_entry = 30, bytes_a_row = 60;
    backend.require_free("the blocks of block-jacobi", bytes_an_entry * entries + bytes_a_row * n);
}

}  // namespace

DeviceInverse inverse(Cuda& backend, const DeviceCsr<double>& a, const DeviceVector<double>& inverse_roots,
                      const Blocks& blocks, double least_pivot) {
    static_assert(Options::most_size <= warp_size);
    const Size entries = blocks.entries();
    require_room(backend, entries, a.n_rows);
    Inversion inversion(backend, {cuda::CsrView<double>(a), inverse_roots.data()}, blocks, least_pivot);
    DeviceInverse found;
    found.m.n_rows = a.n_rows;
    found.m.n_cols = a.n_cols;
    found.m.col_idx = DeviceVector<Index>(backend, entries);
    found.m.values = DeviceVector<double>(backend, entries);
    found.m.row_ptr = RowOffsets<DeviceMemory>::fits_narrow(entries) ? inversion.fill<std::int32_t>(found.m)
                                                                     : inversion.fill<std::int64_t>(found.m);
    found.jacobi_blocks = inversion.jacobi_blocks();
    return found;
}

}  // namespace stiefel::block_jacobi
