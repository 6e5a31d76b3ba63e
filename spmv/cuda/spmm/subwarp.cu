#include "stiefel/spmv/cuda/spmm/subwarp.cuh"

namespace stiefel::cuda {

/// Lanes for rows of the mean length: the least power of two from 2 to 16 that leaves a lane four entries or fewer.
template <class Matrix>
void spmm_subwarp(Cuda& backend, const Matrix& a, const SpmmArguments<typename Matrix::value_type>& s) {
    const Size mean = a.nnz() / std::max(a.n_rows, 1);
    with_rows(a, [&](const auto& rows) {
        if (mean <= 8) return launch_subwarp<2>(backend, rows, s);
        if (mean <= 16) return launch_subwarp<4>(backend, rows, s);
        if (mean <= 32) return launch_subwarp<8>(backend, rows, s);
        launch_subwarp<16>(backend, rows, s);
    });
}

template void spmm_subwarp(Cuda&, const DeviceCsr<double>&, const SpmmArguments<double>&);
template void spmm_subwarp(Cuda&, const DeviceCsr<float>&, const SpmmArguments<float>&);
template void spmm_subwarp(Cuda&, const DeviceEllpack<double>&, const SpmmArguments<double>&);
template void spmm_subwarp(Cuda&, const DeviceEllpack<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::cuda
