#include "stiefel/preconditioner/amg/cuda/pairs.hpp"

#include "stiefel/core/cuda/early/multigrid.cuh"
#include "stiefel/core/cuda/row_lanes.cuh"
#include "stiefel/preconditioner/amg/pairs.hpp"
#include "stiefel/spmv/cuda/scan.hpp"
#include "stiefel/spmv/products/cuda/two_passes.cuh"

#include <cstdint>
#include <utility>

namespace stiefel::amg {

namespace {

using View = cuda::CsrView<double>;

/// A matrix whose nodes are paired by what was found out about its rows.
struct Coupled {
    View a;
    const double* inverse_root;
    const double* largest;
    GridPlaces places;

    /// 0 where they may not be paired, or j is not wanted more than the most so far.
    __device__ std::uint64_t wish(Index i, Size k, std::uint64_t most) const {
        const Index j = a.col_idx[k];
        const double coupling = -a.values[k] * (inverse_root[i] * inverse_root[j]);  // the same bits for j and i
        const float closeness = PairWish::closeness(coupling, 1 / largest[i], 1 / largest[j]);
        if (closeness == 0) return 0;  // as for the node itself, whose coupling is negative
        const Index own = places.number(i), other = places.number(j);
        if (PairWish::at_most(closeness, own, other) <= most) return 0;
        return PairWish::of(closeness, own, other, *places.lines);
    }
};

/// As grid_lines() of the host: a thread for each place of the longest row and each sample.
__global__ void __launch_bounds__(GridLines::longest_row * 32) grid_lines_kernel(View a, GridLines* lines) {
    constexpr int rows_at_once = 32, length = GridLines::longest_row;
    __shared__ Index strides[GridLines::samples][length];
    const int place = static_cast<int>(threadIdx.x) % length, first = static_cast<int>(threadIdx.x) / length;
    for (int k = first; k < GridLines::samples; k += rows_at_once) {
        const Index i = GridLines::sample(k, a.n_rows);
        const Size begin = a.row_ptr[i], n = a.row_ptr[Size{i} + 1] - begin;
        strides[k][place] = n <= length && place < n ? GridLines::stride(i, a.col_idx[begin + place]) : 0;
    }
    __syncthreads();
    __shared__ bool is_frequent[GridLines::samples][length];
    for (int k = first; k < GridLines::samples; k += rows_at_once) {
        int found = 0;
        for (const auto& row : strides) {
            bool has = false;
            for (const Index other : row) has = has || other == strides[k][place];
            found += has;
        }
        is_frequent[k][place] = strides[k][place] > 0 && found >= GridLines::frequent;
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    GridLines result;
    for (int k = 0; k < GridLines::samples; ++k) {
        for (int e = 0; e < length; ++e) {
            if (is_frequent[k][e]) result.add(strides[k][e]);
        }
    }
    result.measure([](Index, Index) { return Index{0}; });
    *lines = result;
}

/// Whom each free node wants most of those that are free.
template <int lanes>
__global__ void want_kernel(Coupled nodes, bool is_first, const Index* mate, Index* wanted) {
    const RowLanes<lanes> at;
    const auto i = static_cast<Index>(at.row);
    const bool is_row = at.row < nodes.a.n_rows;
    const bool is_free = is_row && mate[i] == Pairs::none && (is_first || wanted[i] != Pairs::none);
    std::uint64_t most = 0;
    Index most_wanted = Pairs::none;
    if (is_free) {
        for (Size k = nodes.a.row_ptr[i] + at.lane; k < nodes.a.row_ptr[at.row + 1]; k += lanes) {
            const Index j = nodes.a.col_idx[k];
            if (mate[j] != Pairs::none) continue;
            const std::uint64_t wish = nodes.wish(i, k, most);
            if (wish <= most) continue;
            most = wish;
            most_wanted = j;
        }
    }
    // One lane has it: no two nodes are wanted as much.
    const bool has_most = most == lanes_max<lanes>(most) && (most != 0 || at.lane == 0);
    if (is_row && has_most) wanted[i] = most_wanted;
}

/// Those who want each other most. any_left: somebody wants one who wants another.
__global__ void match_kernel(Index n, const Index* wanted, Index* mate, unsigned* any_left) {
    const Size i = RowLanes<1>().row;
    if (i >= n) return;
    const Index j = wanted[i];
    if (j == Pairs::none) return;
    if (wanted[j] == i) {
        mate[i] = j;
    } else if (any_left != nullptr) {
        *any_left = 1;
    }
}

__global__ void leads_kernel(Index n, const Index* mate, unsigned char* leads) {
    const Size i = RowLanes<1>().row;
    if (i < n) leads[i] = mate[i] == Pairs::none || mate[i] > i;
}

__global__ void number_kernel(Index n, const Index* mate, const unsigned char* leads, const Index* number, Index* first,
                              Index* second, Index* of_node) {
    const Size i = RowLanes<1>().row;
    if (i >= n || leads[i] == 0) return;
    const Index pair = number[i], other = mate[i];
    first[pair] = static_cast<Index>(i);
    second[pair] = other;
    of_node[i] = pair;
    if (other != Pairs::none) of_node[other] = pair;
}

__global__ void numbers_kernel(Size n, const Index* first, GridPlaces nodes, Index* numbers) {
    const Size pair = RowLanes<1>().row;
    if (pair < n) numbers[pair] = nodes.number(first[pair]);
}

__global__ void renumber_kernel(Size n, const Index* through, Index* to) {
    const Size i = RowLanes<1>().row;
    if (i < n) to[i] = through[to[i]];
}

/// See keep_row_sums() of the host.
template <int lanes>
__global__ void row_sums_kernel(View a, double times, const double* beside, double* values) {
    const RowLanes<lanes> at;
    const bool is_row = at.row < a.n_rows;
    double sum = is_row && at.lane == 0 && beside != nullptr ? beside[at.row] : 0;
    Size diagonal = -1;
    if (is_row) {
        for (Size k = a.row_ptr[at.row] + at.lane; k < a.row_ptr[at.row + 1]; k += lanes) {
            sum += a.values[k];
            if (a.col_idx[k] == at.row) diagonal = k;
        }
    }
#pragma unroll
    for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(all_lanes, sum, step);
    if (diagonal >= 0 && sum > 0) values[diagonal] += times * sum;
}

/// See keep_weak_couplings() of the host.
template <int lanes>
__global__ void weak_couplings_kernel(View a, double theta, double times, const double* inverse_root,
                                      const double* largest, double* values) {
    const RowLanes<lanes> at;
    const Size i = at.row;
    double taken = 0;
    Size diagonal = -1;
    if (i < a.n_rows) {
        for (Size k = a.row_ptr[i] + at.lane; k < a.row_ptr[i + 1]; k += lanes) {
            const Index j = a.col_idx[k];
            const double value = values[k], scale = inverse_root[i] * inverse_root[j];
            if (j == i) diagonal = k;
            const bool is_weak = !(abs(value) * scale >= theta * max(largest[i], largest[j]));
            if (j == i || !is_weak || !(value < 0) || !isfinite(scale)) continue;
            const double more = times * value;
            values[k] = value + more;
            taken += more;
        }
    }
    taken = lanes_sum<lanes>(taken);
    if (diagonal >= 0) values[diagonal] -= taken;
}

__global__ void indicator_kernel(Size n, std::int32_t* row_ptr, double* values) {
    const Size i = RowLanes<1>().row;
    if (i <= n) row_ptr[i] = static_cast<std::int32_t>(i);
    if (i < n) values[i] = 1;
}

/// Row of a pair: its nodes' rows one behind the other, columns as pairs.
template <class Offset, class Offsets>
struct PairPattern : cuda::PatternBase<Offset> {
    Index n_rows;
    Index n_cols;
    Offsets row_ptr;
    const Index* columns;
    const Index* pair_of_node;
    const Index* first;
    const Index* second;

    static constexpr int block_lanes = 1;

    PairPattern(const View& a, const Offsets& offsets, const DeviceVector<Index>& numbers, const DevicePairs& pairs)
        : n_rows(pairs.count()),
          n_cols(pairs.count()),
          row_ptr(offsets),
          columns(a.col_idx),
          pair_of_node(numbers.data()),
          first(pairs.first.data()),
          second(pairs.second.data()) {}

    __device__ Offset length(Index node) const {
        return node == Pairs::none ? 0 : row_ptr[Size{node} + 1] - row_ptr[node];
    }
    __device__ static Offset begin(Index) { return 0; }
    __device__ Offset end(Index pair) const { return length(first[pair]) + length(second[pair]); }
    __device__ Offset entry(Index pair, Offset k) const {
        const Offset of_first = length(first[pair]);
        return k < of_first ? row_ptr[first[pair]] + k : row_ptr[second[pair]] + (k - of_first);
    }
    __device__ cuda::Terms<Offset> terms(Index pair, Offset k) const {
        const Offset t = entry(pair, k);
        return {t, t + 1};
    }
    __device__ Index col(Offset t) const { return pair_of_node[columns[t]]; }

    template <class F>
    void with_lanes(int l, F&& f) const {
        if (l < 2) return f.template operator()<8, 1>();
        f.template operator()<32, 1>();
    }
};

template <class Offset, class Offsets>
struct PairRows : PairPattern<Offset, Offsets> {
    using Pattern = PairPattern<Offset, Offsets>;
    using value_type = double;
    using factor_type = double;

    const double* values;
    double times;

    PairRows(const View& a, const Offsets& offsets, const DeviceVector<Index>& numbers, const DevicePairs& pairs,
             double factor)
        : Pattern(a, offsets, numbers, pairs), values(a.values), times(factor) {}

    __device__ double factor(Index, Offset) const { return times; }
    __device__ double product(double factor, Offset t) const { return factor * values[t]; }
};

/// Rounds in which those are paired who want each other most, until nobody is left who might be.
class Matching {
public:
    Matching(Cuda& backend, const Coupled& nodes)
        : backend_(backend), nodes_(nodes), mate_(backend, nodes.a.n_rows), wanted_(backend, nodes.a.n_rows) {}

    DeviceVector<Index> run() {
        constexpr int together = 4;
        DeviceVector<unsigned> any_left(backend_, 1);
        const auto bytes = static_cast<std::size_t>(mate_.bytes());
        check_cuda(cudaMemsetAsync(mate_.data(), 0xff, bytes, backend_.stream()), "pairing nodes");
        for (int round = 0;;) {
            for (const int end = round + together; round < end; ++round) {
                const bool is_last = round + 1 == end;
                if (is_last) backend_.zero_bytes(any_left.data(), any_left.bytes());
                match(round == 0, is_last ? any_left.data() : nullptr);
            }
            check_cuda(cudaGetLastError(), "pairing nodes");
            if (load(backend_, any_left) == 0) return std::move(mate_);
        }
    }

private:
    void match(bool is_first, unsigned* any_left) {
        const Index n = nodes_.a.n_rows;
        const cudaStream_t stream = backend_.stream();
        with_row_lanes(nodes_.a.mean_row(), [&](auto lanes) {
            want_kernel<lanes()><<<RowLanes<lanes()>::blocks(n), row_threads, 0, stream>>>(
                nodes_, is_first, mate_.data(), wanted_.data());
        });
        match_kernel<<<RowLanes<1>::blocks(n), row_threads, 0, stream>>>(n, wanted_.data(), mate_.data(), any_left);
    }

    Cuda& backend_;
    Coupled nodes_;
    DeviceVector<Index> mate_, wanted_;
};

}  // namespace

DeviceVector<GridLines> lines_of(Cuda& backend, const DeviceCsr<double>& a) {
    DeviceVector<GridLines> lines(backend, 1);
    grid_lines_kernel<<<1, GridLines::longest_row * 32, 0, backend.stream()>>>(View(a), lines.data());
    check_cuda(cudaGetLastError(), "looking for the lines of a grid");
    return lines;
}

DeviceVector<Index> numbers_of(Cuda& backend, const DevicePairs& pairs, const GridPlaces& nodes) {
    DeviceVector<Index> numbers(backend, pairs.first.size());
    numbers_kernel<<<RowLanes<1>::blocks(numbers.size()), row_threads, 0, backend.stream()>>>(
        numbers.size(), pairs.first.data(), nodes, numbers.data());
    check_cuda(cudaGetLastError(), "numbering pairs");
    return numbers;
}

DevicePairs strongest_pairs(Cuda& backend, const DeviceCsr<double>& a, const DeviceMatrix& found,
                            const GridPlaces& places) {
    const Index n = a.n_rows;
    const unsigned blocks = RowLanes<1>::blocks(n);
    const cudaStream_t stream = backend.stream();
    const DeviceVector<Index> mate =
        Matching(backend, {View(a), found.inverse_root.data(), found.largest.data(), places}).run();
    DeviceVector<unsigned char> leads(backend, n);
    leads_kernel<<<blocks, row_threads, 0, stream>>>(n, mate.data(), leads.data());
    const cuda::Offsets<unsigned char> numbers(backend, leads);
    const auto number = numbers.template in<Index>(backend);
    const Size count = load(backend, numbers.total());
    DevicePairs pairs{DeviceVector<Index>(backend, count), DeviceVector<Index>(backend, count),
                      DeviceVector<Index>(backend, n)};
    number_kernel<<<blocks, row_threads, 0, stream>>>(n, mate.data(), leads.data(), number.data(), pairs.first.data(),
                                                      pairs.second.data(), pairs.of_node.data());
    check_cuda(cudaGetLastError(), "pairing nodes");
    return pairs;
}

DeviceCsr<double> sum_of_pairs(Cuda& backend, const DeviceCsr<double>& a, const DeviceVector<Index>& pair_of_node,
                               const DevicePairs& pairs, double factor) {
    const View view(a);
    const auto build = [&](const auto& rows) { return cuda::TwoPasses(backend, rows).run(); };
    if (view.is_narrow()) {
        return build(
            PairRows<std::int32_t, const std::int32_t*>(view, view.row_ptr.narrow(), pair_of_node, pairs, factor));
    }
    return build(PairRows<Size, cuda::OffsetsView>(view, view.row_ptr, pair_of_node, pairs, factor));
}

void keep_row_sums(Cuda& backend, DeviceCsr<double>& coarse, double times, const DeviceVector<double>* beside) {
    const View view(coarse);
    with_row_lanes(view.mean_row(), [&](auto lanes) {
        row_sums_kernel<lanes()><<<RowLanes<lanes()>::blocks(coarse.n_rows), row_threads, 0, backend.stream()>>>(
            view, times, beside != nullptr ? beside->data() : nullptr, coarse.values.data());
    });
    check_cuda(cudaGetLastError(), "adding row sums");
}

void keep_weak_couplings(Cuda& backend, DeviceCsr<double>& coarse, const DeviceMatrix& found, double times) {
    const View view(coarse);
    with_row_lanes(view.mean_row(), [&](auto lanes) {
        weak_couplings_kernel<lanes()><<<RowLanes<lanes()>::blocks(coarse.n_rows), row_threads, 0, backend.stream()>>>(
            view, Strength::theta, times, found.inverse_root.data(), found.largest.data(), coarse.values.data());
    });
    check_cuda(cudaGetLastError(), "keeping weak couplings");
}

void renumber(Cuda& backend, const DeviceVector<Index>& through, DeviceVector<Index>& to) {
    renumber_kernel<<<RowLanes<1>::blocks(to.size()), row_threads, 0, backend.stream()>>>(to.size(), through.data(),
                                                                                          to.data());
    check_cuda(cudaGetLastError(), "numbering aggregates");
}

DeviceCsr<double> indicator(Cuda& backend, DeviceVector<Index> of_node, Index n_aggregates) {
    const Size n = of_node.size();
    DeviceVector<std::int32_t> row_ptr(backend, n + 1);
    DeviceCsr<double> p;
    p.n_rows = static_cast<Index>(n);
    p.n_cols = n_aggregates;
    p.values = DeviceVector<double>(backend, n);
    indicator_kernel<<<RowLanes<1>::blocks(n + 1), row_threads, 0, backend.stream()>>>(n, row_ptr.data(),
                                                                                       p.values.data());
    check_cuda(cudaGetLastError(), "making a prolongation");
    p.row_ptr = RowOffsets<DeviceMemory>(std::move(row_ptr));
    p.col_idx = std::move(of_node);
    return p;
}

}  // namespace stiefel::amg
