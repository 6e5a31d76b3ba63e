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

__global__ void ones_kernel(Size n, double* numbers) {
    const Size i = RowLanes<1>().row;
    if (i < n) numbers[i] = 1;
}

/// Rows of G, as many as teams.
template <int lanes>
__global__ void __launch_bounds__(Team<lanes>::threads)
    rows_kernel(View s, cuda::OffsetsView row_ptr, const Index* cols, const Index* rows, unsigned n_rows, double drop,
                double least_pivot, double* values, unsigned* jacobi_rows) {
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
    if (team.lane < order) values[first + team.lane] = system.fails != 0 ? (is_last ? 1.0 : 0.0) : x;
    if (is_last && system.fails != 0) atomicAdd(jacobi_rows, 1u);
}

class Rows {
public:
    Rows(Cuda& backend, const View& s, DeviceCsr<double>& pattern, const Options& options, double least_pivot)
        : backend_(backend), s_(s), pattern_(pattern), drop_(options.drop), least_pivot_(least_pivot) {}

    /// Of the rows in the lists: as many lanes. The system of the last ones fits into the shared memory that every
    /// device has.
    static constexpr cuda::ListLimits limits{{8, 16, 32, 64, Options::longest_row}};

    /// Writes the values of G to those of its pattern; how many rows have the diagonal alone.
    Index compute() {
        const Index n = pattern_.n_rows;
        DeviceVector<Index> rows(backend_, Size{n} * cuda::RowLists::n_lists);
        DeviceVector<unsigned> counts(backend_, cuda::RowLists::n_lists), jacobi_rows(backend_, 1);
        backend_.zero_bytes(counts.data(), counts.bytes());
        backend_.zero_bytes(jacobi_rows.data(), jacobi_rows.bytes());
        list_kernel<<<RowLanes<1>::blocks(n), row_threads, 0, backend_.stream()>>>(
            cuda::OffsetsView(pattern_.row_ptr), limits, cuda::RowLists{n, rows.data(), counts.data()});
        check_cuda(cudaGetLastError(), "sorting rows by length");
        HostVector<unsigned> n_rows(counts.size());
        download(backend_, counts, n_rows);
        const auto run = [&]<int lanes>(int list) {
            start<lanes>(rows.data() + Size{list} * n, n_rows[list], jacobi_rows.data());
        };
        run.template operator()<8>(0);
        run.template operator()<16>(1);
        run.template operator()<32>(2);
        run.template operator()<64>(3);
        run.template operator()<Options::longest_row>(4);
        return static_cast<Index>(load(backend_, jacobi_rows));
    }

private:
    template <int lanes>
    void start(const Index* rows, unsigned n_rows, unsigned* jacobi_rows) {
        if (n_rows == 0) return;
        constexpr unsigned in_block = Team<lanes>::in_block;
        rows_kernel<lanes><<<(n_rows + in_block - 1) / in_block, Team<lanes>::threads, 0, backend_.stream()>>>(
            s_, cuda::OffsetsView(pattern_.row_ptr), pattern_.col_idx.data(), rows, n_rows, drop_, least_pivot_,
            pattern_.values.data(), jacobi_rows);
        check_cuda(cudaGetLastError(), "solving the local systems of fsai");
    }

    Cuda& backend_;
    const View& s_;
    DeviceCsr<double>& pattern_;
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
    const Index jacobi_rows = Rows(backend, view, pattern, options, least_pivot).compute();
    return {kept_entries(backend, View(pattern), Nonzero{}), jacobi_rows};
}

DeviceVector<double> ones(Cuda& backend, Size n) {
    DeviceVector<double> numbers(backend, n);
    ones_kernel<<<RowLanes<1>::blocks(n), row_threads, 0, backend.stream()>>>(n, numbers.data());
    check_cuda(cudaGetLastError(), "filling a vector");
    return numbers;
}

}  // namespace stiefel::fsai
