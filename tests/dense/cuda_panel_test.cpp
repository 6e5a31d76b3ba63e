#include "stiefel/dense/panel.hpp"
#include "support/backends.hpp"
#include "support/cuda.hpp"
#include "support/panel_reference.hpp"

#include <cstring>

namespace stiefel::test {
namespace {

template <class T>
class CudaPanel : public OnCuda {
protected:
    template <class U, class V>
    static DeviceMatrix<U> like(const HostMatrix<V>& host, U* data) {
        return {data, host.n_rows, host.n_cols, host.ld};
    }

    HostVector<double> gram_of(const GramReference<T>& reference) {
        HostVector<double> blank = reference.blank();
        const DeviceVector<T> p = to_device(reference.p().values);
        const DeviceVector<T> q = to_device(reference.q().values);
        DeviceVector<double> g = to_device(blank);
        gram(backend(), like(reference.p().view(), p.data()), like(reference.q().view(), q.data()),
             like(reference.view_of(blank), g.data()));
        return to_host(g);
    }

    HostVector<T> update_of(const PanelUpdateReference<T>& reference, const PanelCase& what) {
        const DeviceVector<T> x = to_device(reference.x().values);
        const DeviceVector<double> b = to_device(reference.b().values);
        DeviceVector<T> y = to_device(reference.y().values);
        panel_update(backend(), what.alpha, like(reference.x().view(), x.data()), like(reference.b().view(), b.data()),
                     what.beta, like(reference.y().view(), y.data()));
        return to_host(y);
    }
};

TYPED_TEST_SUITE(CudaPanel, EveryType);

std::vector<PanelCase> cases_for_a_device() {
    std::vector<PanelCase> cases = panel_cases();
    for (const Index k : {1, 2, 4, 8, 16, 32}) cases.push_back({70001, k, k, 1, 1, 0});
    cases.push_back({20003, 40, 40, 1, 1, 0});
    cases.push_back({20003, 64, 64, -1, 0.5, 0});
    cases.push_back({20003, 64, 24, 1, 0, 3});
    cases.push_back({20003, 24, 64, 1, 1, 0});
    return cases;
}

TYPED_TEST(CudaPanel, GramIsWithinTheBound) {
    for (const PanelCase& what : cases_for_a_device()) {
        const GramReference<TypeParam> reference(what);
        ASSERT_TRUE(reference.accepts(this->gram_of(reference))) << what;
    }
}

TYPED_TEST(CudaPanel, UpdateIsWithinTheBound) {
    for (const PanelCase& what : cases_for_a_device()) {
        const PanelUpdateReference<TypeParam> reference(what);
        ASSERT_TRUE(reference.accepts(this->update_of(reference, what))) << what;
    }
}

TYPED_TEST(CudaPanel, GramOfAPanelWithItselfIsTheGeneralOneAndSymmetricToTheBit) {
    using T = TypeParam;
    for (const Index k : {1, 4, 8, 16, 19, 32, 50, 64}) {
        const PaddedMatrix<T> host(3000, k, 0, 5);
        const DeviceVector<T> p = this->to_device(host.values);
        const DeviceVector<T> q = this->to_device(host.values);
        DeviceVector<double> same(this->backend(), Size{k} * k);
        DeviceVector<double> other(this->backend(), Size{k} * k);
        gram(this->backend(), as_matrix(p, 3000, k), as_matrix(p, 3000, k), as_matrix(same, k, k));
        gram(this->backend(), as_matrix(p, 3000, k), as_matrix(q, 3000, k), as_matrix(other, k, k));
        const HostVector<double> x = this->to_host(same);
        const HostVector<double> y = this->to_host(other);
        for (Index i = 0; i < k; ++i) {
            for (Index j = 0; j < k; ++j) {
                // |p| <= 1, so 3000 bounds the sum of absolute values
                EXPECT_TRUE(within(x[i * k + j], y[i * k + j], 2 * sum_bound<double>(3000, 3000)));
                EXPECT_EQ(x[i * k + j], x[j * k + i]) << k << ": " << i << " " << j;
            }
        }
    }
}

TYPED_TEST(CudaPanel, RunsRepeatBitForBit) {
    for (const Index k : {8, 64}) {
        const GramReference<TypeParam> reference({100000, k, k, 1, 0, 0});
        const HostVector<double> first = this->gram_of(reference);
        const HostVector<double> second = this->gram_of(reference);
        EXPECT_EQ(std::memcmp(first.data(), second.data(), static_cast<std::size_t>(first.bytes())), 0) << k;
    }
}

TYPED_TEST(CudaPanel, NaNStaysInItsRow) {
    using T = TypeParam;
    constexpr Index n = 37;
    for (const Index k : {1, 2, 3, 4, 8, 24, 64}) {
        const DeviceVector<double> b = this->to_device(HostVector<double>(Size{k} * k, 0.5));
        for (const Index bad : {0, 5, 36}) {
            HostVector<T> x(Size{n} * k, T{1});
            x[bad * k + k - 1] = std::numeric_limits<T>::quiet_NaN();
            const DeviceVector<T> from = this->to_device(x);
            DeviceVector<T> to = this->to_device(HostVector<T>(Size{n} * k, T{1}));
            panel_update<T>(this->backend(), 1, as_matrix(from, n, k), as_matrix(b, k, k), 2, as_matrix(to, n, k));
            const HostVector<T> y = this->to_host(to);
            for (Index i = 0; i < n; ++i) {
                for (Index j = 0; j < k; ++j) {
                    const T value = y[i * k + j];
                    EXPECT_TRUE(i == bad ? std::isnan(value) : value == static_cast<T>(0.5 * k + 2))
                        << "k " << k << ", NaN in row " << bad << ", row " << i << ": " << value;
                }
            }
        }
    }
}

}  // namespace
}  // namespace stiefel::test
