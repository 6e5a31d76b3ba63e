#include "stiefel/preconditioner/amg/cuda/aggregates.hpp"

#include "stiefel/core/cuda/early/multigrid.cuh"
#include "stiefel/core/cuda/row_lanes.cuh"
#include "stiefel/spmv/cuda/scan.hpp"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

#include <cstddef>

namespace stiefel::amg {

namespace {

/// The strong couplings of a matrix: entries whose column is not negative.
struct Couplings {
    Index n_rows;
    cuda::OffsetsView row_ptr;
    const Index* columns;
};

/// A node's standing: out, in, or undecided with its priority between the two.
using Standing = unsigned;
constexpr Standing is_out = 0;
constexpr Standing is_in = ~0u;
/// Of a neighbourhood that was not looked at yet.
constexpr Standing is_unknown = 1;

/// The finaliser of MurmurHash3 (Appleby 2011), which takes no two numbers to one.
__device__ unsigned scrambled(unsigned h) {
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

/// Another one in each round, so that no chain of priorities has to be gone along (Kelley and Rajamanickam 2022); in
/// one round no two nodes have the same. With the highest bit set, which no node has, none gets is_out or is_in.
__device__ Standing priority(Index node, unsigned round) {
    return scrambled(static_cast<unsigned>(node) ^ (scrambled(round) | 0x80000000u));
}

__global__ void begin_first_kernel(Index n, Standing* standing, Standing* near) {
    const Size i = RowLanes<1>().row;
    if (i >= n) return;
    standing[i] = priority(static_cast<Index>(i), 0);
    near[i] = is_unknown;
}

/// The highest standing among a node and its strong neighbours.
template <int lanes>
__device__ Standing highest(const Couplings& strong, const RowLanes<lanes>& at, bool is_wanted,
                            const Standing* standing) {
    Standing most = is_out;
    if (is_wanted) {
        most = standing[at.row];
        constexpr int together = 4;  // couplings of a lane that are fetched before any is needed
        const Size end = strong.row_ptr[at.row + 1];
        for (Size k = strong.row_ptr[at.row] + at.lane; k < end; k += together * lanes) {
            Index j[together];
            for (int c = 0; c < together; ++c) j[c] = k + c * lanes < end ? strong.columns[k + c * lanes] : -1;
            for (const Index neighbour : j) most = max(most, neighbour >= 0 ? standing[neighbour] : is_out);
        }
    }
    return lanes_max<lanes>(most);
}

/// near = the highest standing within one coupling. What is in or out stays so, and is not looked for again.
template <int lanes>
__global__ void spread_kernel(Couplings strong, const Standing* standing, Standing* near) {
    const RowLanes<lanes> at;
    const bool is_row = at.row < strong.n_rows;
    const bool is_wanted = is_row && near[at.row] != is_in && near[at.row] != is_out;
    const Standing most = highest<lanes>(strong, at, is_wanted, standing);
    if (is_wanted && at.lane == 0) near[at.row] = most;
}

/// In is who has the highest priority within two couplings, out who has one that is in there.
template <int lanes>
__global__ void decide_kernel(Couplings strong, unsigned round, const Standing* near, Standing* standing,
                              unsigned* any_undecided) {
    const RowLanes<lanes> at;
    const bool is_row = at.row < strong.n_rows;
    const Standing own = is_row ? standing[at.row] : is_out;
    const bool is_wanted = own != is_in && own != is_out;
    const Standing most = highest<lanes>(strong, at, is_wanted, near);
    const bool decides = is_wanted && at.lane == 0;
    if (!decides) return;
    if (most == own) {
        standing[at.row] = is_in;
    } else if (most == is_in) {
        standing[at.row] = is_out;
    } else {
        standing[at.row] = priority(static_cast<Index>(at.row), round + 1);
        if (any_undecided != nullptr) *any_undecided = 1;
    }
}

/// What is nobody's neighbour after the first set: free. The second set is of free nodes with free neighbours for the
/// most part, and no others lie between its nodes.
template <int lanes>
__global__ void begin_again_kernel(Couplings strong, const Standing* first_near, Standing* standing, Standing* near) {
    constexpr double least_free = 0.6;  // of the neighbours, and two at least
    const RowLanes<lanes> at;
    const bool is_free = at.row < strong.n_rows && first_near[at.row] != is_in;
    int neighbours = 0, free = 0;
    if (is_free) {
        for (Size k = strong.row_ptr[at.row] + at.lane; k < strong.row_ptr[at.row + 1]; k += lanes) {
            const Index j = strong.columns[k];
            neighbours += j >= 0;
            free += j >= 0 && first_near[j] != is_in;
        }
    }
    neighbours = lanes_sum<lanes>(neighbours);
    free = lanes_sum<lanes>(free);
    if (at.row >= strong.n_rows || at.lane != 0) return;
    const bool may_be_in = is_free && free >= 2 && free >= least_free * neighbours;
    standing[at.row] = may_be_in ? priority(static_cast<Index>(at.row), 0) : is_out;
    near[at.row] = is_free ? is_unknown : is_out;
}

__global__ void roots_kernel(Index n, const Standing* first, const Standing* second, unsigned char* is_root) {
    const Size i = RowLanes<1>().row;
    if (i < n) is_root[i] = first[i] == is_in || second[i] == is_in;
}

/// A root's own number, that of a neighbour that is one (of the first set, if there is any), or -1.
template <int lanes>
__global__ void neighbours_of_roots_kernel(Couplings strong, const Standing* first, const Standing* second,
                                           const Index* number, Index* aggregate) {
    const RowLanes<lanes> at;
    const bool is_row = at.row < strong.n_rows;
    Index root = -1, second_root = -1;
    if (is_row && (first[at.row] == is_in || second[at.row] == is_in)) {
        root = static_cast<Index>(at.row);
    } else if (is_row) {
        for (Size k = strong.row_ptr[at.row] + at.lane; k < strong.row_ptr[at.row + 1]; k += lanes) {
            const Index j = strong.columns[k];
            if (j >= 0 && first[j] == is_in) root = max(root, j);
            if (j >= 0 && second[j] == is_in) second_root = max(second_root, j);
        }
    }
    root = lanes_max<lanes>(root);
    second_root = lanes_max<lanes>(second_root);
    if (root < 0) root = second_root;
    if (is_row && at.lane == 0) aggregate[at.row] = root >= 0 ? number[root] : -1;
}

/// Those left over join the aggregate of the strongest neighbour that has one; of equals that of the first.
template <int lanes>
__global__ void join_kernel(Couplings strong, const double* values, const double* inverse_root, const Index* joined,
                            Index* aggregate) {
    const RowLanes<lanes> at;
    const bool is_row = at.row < strong.n_rows;
    const Index own = is_row ? joined[at.row] : 0;
    double most = -1;
    Index with = -1;
    if (own < 0) {
        for (Size k = strong.row_ptr[at.row] + at.lane; k < strong.row_ptr[at.row + 1]; k += lanes) {
            const Index j = strong.columns[k];
            if (j < 0 || joined[j] < 0) continue;
            const double coupling = abs(values[k]) * inverse_root[j];
            if (coupling <= most) continue;
            most = coupling;
            with = j;
        }
    }
#pragma unroll
    for (int step = lanes / 2; step > 0; step /= 2) {
        const double other = __shfl_xor_sync(all_lanes, most, step);
        const Index other_with = __shfl_xor_sync(all_lanes, with, step);
        const bool is_better = other > most || (other == most && other_with < with);
        most = is_better ? other : most;
        with = is_better ? other_with : with;
    }
    if (is_row && at.lane == 0) aggregate[at.row] = own >= 0 ? own : joined[with];
}

/// Nodes that are being chosen.
struct Choice {
    DeviceVector<Standing> standing;
    DeviceVector<Standing> near;  ///< the highest within one coupling

    Choice(Cuda& backend, Index n) : standing(backend, n), near(backend, n) {}
};

class ParallelAggregation {
public:
    ParallelAggregation(Cuda& backend, const DeviceCsr<double>& a, const DeviceStrength& strength, DeviceMatrix& of)
        : backend_(backend),
          a_(a),
          of_(of),
          strong_{a.n_rows, cuda::OffsetsView(a.row_ptr), strength.columns.data()},
          mean_row_(a.n_rows > 0 ? static_cast<double>(a.nnz()) / a.n_rows : 0),
          first_(backend, a.n_rows),
          second_(backend, a.n_rows),
          is_root_(backend, a.n_rows) {}

    DeviceAggregates run(LevelFacts& facts) {
        begin_first_kernel<<<RowLanes<1>::blocks(a_.n_rows), row_threads, 0, stream()>>>(
            a_.n_rows, first_.standing.data(), first_.near.data());
        decide_all(first_);
        for_rows([&]<int lanes>(unsigned blocks) {
            begin_again_kernel<lanes><<<blocks, row_threads, 0, stream()>>>(
                strong_, first_.near.data(), second_.standing.data(), second_.near.data());
        });
        decide_all(second_);
        return numbered(facts);
    }

private:
    cudaStream_t stream() const { return backend_.stream(); }

    /// f.operator()<lanes>(blocks), with lanes for each row.
    template <class F>
    void for_rows(F&& f) const {
        with_row_lanes(mean_row_,
                       [&](auto lanes) { f.template operator()<lanes()>(RowLanes<lanes()>::blocks(a_.n_rows)); });
    }

    char* fact(std::size_t offset) { return reinterpret_cast<char*>(of_.facts.data()) + offset; }

    /// Rounds until none is undecided; afterwards `near` is of what was decided.
    void decide_all(Choice& choice) {
        constexpr unsigned first_rounds = 8, more_rounds = 3;
        auto* const any_undecided = reinterpret_cast<unsigned*>(fact(offsetof(LevelFacts, any_undecided)));
        unsigned round = 0;
        for (unsigned rounds = first_rounds;; rounds = more_rounds) {
            for (const unsigned end = round + rounds; round < end; ++round) {
                const bool is_last = round + 1 == end;
                if (is_last) backend_.zero_bytes(any_undecided, sizeof *any_undecided);
                for_rows([&]<int lanes>(unsigned blocks) {
                    spread_kernel<lanes>
                        <<<blocks, row_threads, 0, stream()>>>(strong_, choice.standing.data(), choice.near.data());
                    decide_kernel<lanes><<<blocks, row_threads, 0, stream()>>>(
                        strong_, round, choice.near.data(), choice.standing.data(), is_last ? any_undecided : nullptr);
                });
            }
            for_rows([&]<int lanes>(unsigned blocks) {
                spread_kernel<lanes>
                    <<<blocks, row_threads, 0, stream()>>>(strong_, choice.standing.data(), choice.near.data());
            });
            check_cuda(cudaGetLastError(), "aggregating");
            if (load(backend_, any_undecided) == 0) return;
        }
    }

    DeviceAggregates numbered(LevelFacts& facts) {
        roots_kernel<<<RowLanes<1>::blocks(a_.n_rows), row_threads, 0, stream()>>>(
            a_.n_rows, first_.standing.data(), second_.standing.data(), is_root_.data());
        const cuda::Offsets<unsigned char> numbers(backend_, is_root_);
        backend_.copy_bytes(fact(offsetof(LevelFacts, n_aggregates)), numbers.total(), sizeof(Size));
        const auto number = numbers.template in<Index>(backend_);
        DeviceVector<Index> joined(backend_, a_.n_rows);
        DeviceAggregates result{.of_node = DeviceVector<Index>(backend_, a_.n_rows)};
        for_rows([&]<int lanes>(unsigned blocks) {
            neighbours_of_roots_kernel<lanes><<<blocks, row_threads, 0, stream()>>>(
                strong_, first_.standing.data(), second_.standing.data(), number.data(), joined.data());
            join_kernel<lanes><<<blocks, row_threads, 0, stream()>>>(strong_, a_.values.data(), of_.inverse_root.data(),
                                                                     joined.data(), result.of_node.data());
        });
        check_cuda(cudaGetLastError(), "numbering aggregates");
        facts = load(backend_, of_.facts);
        result.count = static_cast<Index>(facts.n_aggregates);
        return result;
    }

    Cuda& backend_;
    const DeviceCsr<double>& a_;
    DeviceMatrix& of_;
    Couplings strong_;
    double mean_row_;
    Choice first_, second_;
    DeviceVector<unsigned char> is_root_;
};

}  // namespace

DeviceAggregates parallel_aggregates(Cuda& backend, const DeviceCsr<double>& a, const DeviceStrength& strength,
                                     DeviceMatrix& of, LevelFacts& facts) {
    return ParallelAggregation(backend, a, strength, of).run(facts);
}

}  // namespace stiefel::amg
