#include "stiefel/solver/block_cg_kernels.hpp"
#include "support/block_cg_operands.hpp"
#include "support/bounds.hpp"
#include "support/cuda.hpp"

#include <algorithm>

namespace stiefel::test {
namespace {

/// Each kernel on the device against the serial one, which block_cg_test holds against true residuals.
template <class T>
class CudaBlockCgKernels : public OnCuda {
protected:
    /// One backend's operands.
    template <class B>
    struct Side {
        B& backend;
        MultivectorOf<B, T> w, s, as, x;
        BlockCgStorage<B> storage;
        BlockCgMatrices small;
        VectorOf<B, CgState> state;

        Side(B& on, const BlockCgOperands<T>& from, Index k, bool jacobi)
            : backend(on),
              w(bring(from.w)),
              s(bring(from.s)),
              as(bring(from.as)),
              x(bring(from.x)),
              storage(on, k),
              small(storage.matrices(jacobi)),
              state(make_vector<CgState>(on, 1)) {
            upload(on, from.doubles, storage.doubles());
            store(on, CgState{.max_iterations = 10}, state);
        }
        MultivectorOf<B, T> bring(const HostMultivector<T>& panel) {
            auto there = make_multivector<T>(backend, panel.n_rows(), panel.n_cols());
            upload(backend, panel.values(), there.values());
            return there;
        }
        HostVector<T> back(const MultivectorOf<B, T>& panel) {
            HostVector<T> here(panel.values().size());
            download(backend, panel.values(), here);
            return here;
        }
    };

    template <class Element>
    static void expect_close(const HostVector<Element>& found, const HostVector<Element>& expected, double bound,
                             const char* what, Index n, Index k) {
        for (Size e = 0; e < found.size(); ++e) {
            ASSERT_TRUE(within(found[e], expected[e], bound)) << what << ", element " << e << ", " << n << " x " << k;
        }
    }

    template <class M, class DeviceM>
    void compare(Index n, Index k, const M& m, const DeviceM& device_m, bool jacobi) {
        const BlockCgOperands<T> from(n, k);
        Serial serial;
        Side<Serial> host(serial, from, k, jacobi);
        Side<Cuda> device(backend(), from, k, jacobi);
        const double eps = std::numeric_limits<T>::epsilon();
        // Elements are at most 1 (s at most 2): sums of 2 k products, of n products of sums, all twice the bound.
        const double element = 2 * 2 * (2.0 * k + 4) * eps * 6 * k;
        const double sums = 6.0 * k * 6 * k * (2 * 2 * (2.0 * k + 4) * eps * n + 2 * 2 * (n + 2.0) * 2.3e-16 * n) * 4;

        block_cg_direction(serial, m, std::as_const(host.w).view(), host.s.view(), host.x.view(), host.small,
                           host.state.data());
        block_cg_direction(backend(), device_m, std::as_const(device.w).view(), device.s.view(), device.x.view(),
                           device.small, device.state.data());
        expect_close(device.back(device.s), host.back(host.s), element, "S", n, k);
        expect_close(device.back(device.x), host.back(host.x), element, "X", n, k);

        block_cg_residual(serial, m, std::as_const(host.as).view(), host.w.view(), host.small, host.state.data());
        block_cg_residual(backend(), device_m, std::as_const(device.as).view(), device.w.view(), device.small,
                          device.state.data());
        expect_close(device.back(device.w), host.back(host.w), element, "W", n, k);
        const auto small = [&](auto& side, const double* which) {
            return small_matrix(side.backend, side.storage, which, k);
        };
        expect_close(small(device, device.small.gram), small(host, host.small.gram), sums, "W'W", n, k);
        expect_close(small(device, device.small.weighted), small(host, host.small.weighted), sums, "W'DW", n, k);
    }
};

using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CudaBlockCgKernels, Types);

TYPED_TEST(CudaBlockCgKernels, AgreeWithSerial) {
    using T = TypeParam;
    for (const Index n : {0, 1, 7, 8, 9, 31, 32, 33, 1000, 5003}) {
        for (const Index k : {1, 2, 3, 7, 8, 9, 16, 17, 31, 32, 33, 63, 64}) {
            this->compare(n, k, Identity{}, Identity{}, false);
            HostJacobi<T> jacobi{HostVector<T>(n)};
            for (Index i = 0; i < n; ++i) jacobi.inverse_diagonal[i] = static_cast<T>(0.25 + (i % 13) * 0.25);
            const DeviceJacobi<T> on_device{this->to_device(jacobi.inverse_diagonal)};
            this->compare(n, k, jacobi, on_device, true);
        }
    }
}

TYPED_TEST(CudaBlockCgKernels, SmallMatricesAgreeWithSerial) {
    using T = TypeParam;
    for (const Index k : {1, 2, 3, 8, 17, 32, 64}) {
        BlockCgOperands<T> from(k + 50, k);
        Serial serial;
        for (Index j = 0; j < k; ++j) {
            // Well-conditioned curvature and gram: the identity and something small.
            for (Index i = 0; i < k; ++i) {
                double& c = from.doubles[i * k + j];
                c = (i == j ? 2 : 0) + 0.5 / k * (i + j) / (2.0 * k);
                double& g = from.doubles[3 * Size{k} * k + i * k + j];
                g = (i == j ? 1 : 0) + 0.25 / k * (i + j) / (2.0 * k);
            }
        }
        typename CudaBlockCgKernels<T>::template Side<Serial> host(serial, from, k, false);
        typename CudaBlockCgKernels<T>::template Side<Cuda> device(this->backend(), from, k, false);
        HostVector<BlockCgColumn> columns(k);
        for (Index j = 0; j < k; ++j) {
            columns[j] = {.rhs_norm = 1,
                          .target2 = 1e-30,
                          .limit2 = 1e30,
                          .residual2 = 1,
                          .reason = j % 5 == 4 ? StopReason::converged : StopReason::running};
        }
        const auto run = [&](auto& side) {
            upload(side.backend, columns, side.storage.columns());
            block_cg_basis<T>(side.backend, side.small, true, side.state.data());
            block_cg_step<T>(side.backend, side.small, side.state.data());
            block_cg_basis<T>(side.backend, side.small, false, side.state.data());
        };
        run(host);
        run(device);
        // The same algorithm on the same numbers; the device may contract products and sums.
        const double bound = 1e-13 * k * k;
        for (double* BlockCgMatrices::*which : {&BlockCgMatrices::step, &BlockCgMatrices::z, &BlockCgMatrices::zeta,
                                                &BlockCgMatrices::sigma, &BlockCgMatrices::xi}) {
            this->expect_close(small_matrix(this->backend(), device.storage, device.small.*which, k),
                               small_matrix(serial, host.storage, host.small.*which, k), bound, "small", 0, k);
        }
        EXPECT_EQ(load(this->backend(), device.state).iteration, 1);
        EXPECT_EQ(load(this->backend(), device.state).reason, load(serial, host.state).reason);
    }
}

}  // namespace
}  // namespace stiefel::test
