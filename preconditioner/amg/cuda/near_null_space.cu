#include "stiefel/preconditioner/amg/cuda/near_null_space.hpp"

#include "stiefel/core/cuda/early/multigrid.cuh"
#include "stiefel/core/cuda/row_lanes.cuh"
#include "stiefel/spmv/products/cuda/csr_view.cuh"
#include "stiefel/spmv/products/cuda/transpose.hpp"

#include <utility>

namespace stiefel::amg {

namespace {

constexpr int most_modes = 6;

__global__ void constants_kernel(Size n_numbers, Index block, double* values) {
    const Size e = RowLanes<1>().row;
    if (e < n_numbers) values[e] = e % block == e / block % block ? 1 : 0;
}

__global__ void rigid_body_kernel(Size n_numbers, Index height, Index modes, const double* points, double* values) {
    const Size e = RowLanes<1>().row;
    if (e >= n_numbers) return;
    const Size node = e / (height * modes);
    const auto component = static_cast<Index>(e % height), mode = static_cast<Index>(e / height % modes);
    values[e] = rigid_motion(points + 3 * node, modes == 3, component, mode);
}

/// The modes on one aggregate, made orthonormal in place as LocalBasis of the host does, by a warp.
struct LocalBasis {
    const unsigned* members;
    Index n_rows, height, modes;
    double* values;

    template <class F>
    __device__ void for_rows(F&& f) const {
        for (Index q = static_cast<Index>(threadIdx.x) % warp_size; q < n_rows; q += warp_size) {
            f(values + Size{members[q / height]} * height * modes + q % height);
        }
    }
    __device__ double dot(Index j, Index k) const {
        double sum = 0;
        for_rows([&](const double* row) { sum += row[j * height] * row[k * height]; });
        return lanes_sum<warp_size>(sum);
    }

    /// r: column k holds the shares of mode k.
    __device__ void orthonormalise(double* r) const {
        constexpr double least_share = 1e-7;  // of its length
        const bool writes = threadIdx.x % warp_size == 0;
        bool is_used[most_modes] = {};
        for (Index k = 0; k < modes; ++k) {
            const double length = sqrt(dot(k, k));
            for (Index j = 0; j < modes; ++j) {
                if (writes) r[k * modes + j] = 0;
            }
            for (int pass = 0; pass < 2; ++pass) {
                for (Index j = 0; j < k; ++j) {
                    if (!is_used[j]) continue;
                    const double share = dot(j, k);
                    for_rows([&](double* row) { row[k * height] -= share * row[j * height]; });
                    if (writes) r[k * modes + j] += share;
                }
            }
            const double left = sqrt(dot(k, k));
            is_used[k] = left > least_share * length;
            const double factor = is_used[k] ? 1 / left : 0;
            for_rows([&](double* row) { row[k * height] *= factor; });
            if (writes) r[k * modes + k] = is_used[k] ? left : 0;
        }
    }
};

__global__ void orthonormalise_kernel(Index n_aggregates, cuda::OffsetsView begin, const unsigned* member, Index height,
                                      Index modes, double* values, double* coarse) {
    const RowLanes<warp_size> at;
    if (at.row >= n_aggregates) return;
    const Size first = begin[at.row];
    const auto n_nodes = static_cast<Index>(begin[at.row + 1] - first);
    const LocalBasis basis{member + first, n_nodes * height, height, modes, values};
    basis.orthonormalise(coarse + at.row * modes * modes);
}

}  // namespace

DeviceNearNullSpace constants(Cuda& backend, Index n, Index block) {
    DeviceNearNullSpace space{
        .height = block, .modes = block, .values = DeviceVector<double>(backend, Size{n} * block)};
    const Size size = space.values.size();
    constants_kernel<<<RowLanes<1>::blocks(size), row_threads, 0, backend.stream()>>>(size, block, space.values.data());
    check_cuda(cudaGetLastError(), "setting constants");
    return space;
}

DeviceNearNullSpace rigid_body_modes(Cuda& backend, const Coordinates& coordinates, Index block) {
    const HostVector<double> points = centred(coordinates, extent_of(coordinates));
    DeviceVector<double> there(backend, points.size());
    upload(backend, points, there);
    DeviceNearNullSpace space{.height = block, .modes = coordinates.dimensions == 2 ? 3 : 6, .values = {}};
    const Size size = Size{coordinates.nodes} * block * space.modes;
    space.values = DeviceVector<double>(backend, size);
    rigid_body_kernel<<<RowLanes<1>::blocks(size), row_threads, 0, backend.stream()>>>(
        size, block, space.modes, there.data(), space.values.data());
    check_cuda(cudaGetLastError(), "setting rigid-body modes");
    return space;
}

DeviceTentativeProlongation tentative_prolongation(Cuda& backend, const DeviceAggregates& aggregates,
                                                   DeviceNearNullSpace space) {
    const Index m = space.modes;
    DeviceNearNullSpace coarse{
        .height = m, .modes = m, .values = DeviceVector<double>(backend, Size{aggregates.count} * m * m)};
    const cuda::ColumnEntries members = cuda::entries_of_columns(backend, aggregates.of_node, aggregates.count);
    orthonormalise_kernel<<<RowLanes<warp_size>::blocks(aggregates.count), row_threads, 0, backend.stream()>>>(
        aggregates.count, cuda::OffsetsView(members.begin), members.number.data(), space.height, m, space.values.data(),
        coarse.values.data());
    check_cuda(cudaGetLastError(), "orthonormalising modes");
    return {.values = std::move(space.values), .coarse = std::move(coarse)};
}

}  // namespace stiefel::amg
