#include "stiefel/preconditioner/fsai/cuda/factor.hpp"

#include "stiefel/core/cuda/early/fsai.cuh"
#include "stiefel/preconditioner/fsai/cuda/kept_entries.cuh"
#include "stiefel/preconditioner/fsai/cuda/local_systems.cuh"
#include "stiefel/spmv/products/cuda/row_lists.cuh"

#include <utility>

namespace stiefel::fsai {

namespace {

/// What is not 0.
struct Nonzero {
    __device__ double weight(Size, Index, double value) const { return abs(value); }
    __device__ double value(double value) const { return value; }
};

__global__ void list_kernel(cuda::OffsetsView row_ptr, cuda::ListLimits limits, cuda::RowLists lists) {
    const Size i = RowLanes<1>().row;
    const int l = i < lists.n_rows ? limits.list_for(row_ptr[i + 1] - row_ptr[i]) : -1;
    lists.append<row_threads>(l, static_cast<Index>(i));
}

/// Rows of G, as many as teams, and how many entries of each are not 0.
template <int lanes>
__global__ void __launch_bounds__(Team<lanes>::threads)
    rows_kernel(View s, cuda::OffsetsView row_ptr, const Index* cols, const Index* rows, unsigned n_rows, double drop,
                double least_pivot, double* values, Index* length, unsigned long long* jacobi_rows) {
    __shared__ LocalSystem<lanes> systems[Team<lanes>::in_block];
    const Team<lanes> team;
    const unsigned number = blockIdx.x * Team<lanes>::in_block + static_cast<unsigned>(team.number);
    if (number >= n_rows) return;
    LocalSystem<lanes>& system = systems[team.number];
    const Index row = rows[number];
    const Size first = row_ptr[row];
    const auto order = static_cast<int>(row_ptr[Size{row} + 1] - first);
    if (team.lane < order) system.cols[team.lane] = cols[first + team.lane];
    if (team.lane == 0) system.fails = 0;
    team.sync();
    if (team.lane < order) gather(s, system, team.lane, order);
    team.sync();
    factor(team, system, order, least_pivot);
    double x = solve(team, system, order);
    if (drop > 0) x = dropped(team, system, order, drop, x);
    const bool is_last = team.lane == order - 1;
    if (system.fails != 0) x = is_last ? 1 : 0;
    if (team.lane < order) values[first + team.lane] = x;
    const Index n = team.count(team.lane < order && x != 0);
    if (!is_last) return;
    length[row] = n;
    if (system.fails != 0) atomicAdd(jacobi_rows, 1ull);
}

class Rows {
public:
    Rows(Cuda& backend, const View& s, DeviceCsr<double>& pattern, const Options& options, double least_pivot)
        : backend_(backend),
          s_(s),
          pattern_(pattern),
          length_(backend, pattern.n_rows),
          told_(backend, 2),
          drop_(options.drop),
          least_pivot_(least_pivot) {}

    /// Of the rows in the lists: as many lanes; there are four. The system of the last ones fits into the shared memory
    /// that every device has.
    static constexpr cuda::ListLimits limits{{8, 16, 32, Options::longest_row, Options::longest_row}};

    /// Writes the values of G to those of its pattern, and returns it without those that are 0.
    DeviceFactor compute() {
        const Index n = pattern_.n_rows;
        DeviceVector<Index> rows(backend_, Size{n} * cuda::RowLists::n_lists);
        DeviceVector<unsigned> counts(backend_, cuda::RowLists::n_lists);
        backend_.zero_bytes(counts.data(), counts.bytes());
        backend_.zero_bytes(told_.data(), told_.bytes());
        list_kernel<<<RowLanes<1>::blocks(n), row_threads, 0, backend_.stream()>>>(
            cuda::OffsetsView(pattern_.row_ptr), limits, cuda::RowLists{n, rows.data(), counts.data()});
        check_cuda(cudaGetLastError(), "sorting rows by length");
        HostVector<unsigned> n_rows(counts.size());
        download(backend_, counts, n_rows);
        const auto run = [&]<int lanes>(int list) { start<lanes>(rows.data() + Size{list} * n, n_rows[list]); };
        run.template operator()<8>(0);
        run.template operator()<16>(1);
        run.template operator()<32>(2);
        run.template operator()<Options::longest_row>(3);
        const cuda::Offsets<Index> offsets(backend_, length_);
        backend_.copy_bytes(told_.data() + 1, offsets.total(), sizeof(Size));
        HostVector<unsigned long long> told(told_.size());
        download(backend_, told_, told);
        return {kept_entries(backend_, View(pattern_), Nonzero{}, RowLimits{}, offsets, static_cast<Size>(told[1])),
                static_cast<Index>(told[0])};
    }

private:
    template <int lanes>
    void start(const Index* rows, unsigned n_rows) {
        if (n_rows == 0) return;
        constexpr unsigned in_block = Team<lanes>::in_block;
        rows_kernel<lanes><<<(n_rows + in_block - 1) / in_block, Team<lanes>::threads, 0, backend_.stream()>>>(
            s_, cuda::OffsetsView(pattern_.row_ptr), pattern_.col_idx.data(), rows, n_rows, drop_, least_pivot_,
            pattern_.values.data(), length_.data(), told_.data());
        check_cuda(cudaGetLastError(), "solving the local systems of fsai");
    }

    Cuda& backend_;
    const View& s_;
    DeviceCsr<double>& pattern_;
    DeviceVector<Index> length_;
    DeviceVector<unsigned long long> told_;  // how many rows have the diagonal alone, and entries of all
    double drop_, least_pivot_;
};

/// For G twice, its transpose and what makes it, and both in the formats of products.
void require_room(const Cuda& backend, const DeviceCsr<double>& pattern) {
    constexpr Size bytes_an_entry = 90, bytes_a_row = 120;
    backend.require_free("the factor of fsai", bytes_an_entry * pattern.nnz() + bytes_a_row * pattern.n_rows);
}

}  // namespace

DeviceFactor factor(Cuda& backend, const DeviceCsr<double>& a, const DeviceScaled& s, const Options& options,
                    double least_pivot) {
    check(options);
    DeviceCsr<double> pattern = row_patterns(backend, a, s, options);
    require_room(backend, pattern);
    View view(a);
    view.values = s.values.data();
    return Rows(backend, view, pattern, options, least_pivot).compute();
}

}  // namespace stiefel::fsai
