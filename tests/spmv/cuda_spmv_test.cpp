#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/power_law.hpp"
#include "stiefel/problems/stencil27.hpp"
#include "stiefel/spmv/choose.hpp"
#include "stiefel/spmv/formats.hpp"
#include "stiefel/spmv/spmm.hpp"
#include "stiefel/spmv/spmv.hpp"

#include "support/cuda.hpp"
#include "support/formats.hpp"
#include "support/spmv_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <string>

namespace stiefel::test {
namespace {

template <class T>
class CudaSpmv : public OnCuda {
protected:
    /// f(label, matrix) for A on the device in every format.
    template <class F>
    void for_each_device_format(const HostCsr<T>& a, F&& f) {
        for_each_format(
            a, [&](const std::string& label, const auto& matrix) { f(label, stiefel::to_device(backend(), matrix)); });
    }

    /// Every rung for every format of a.
    template <class F>
    void for_each_rung(const HostCsr<T>& a, F&& f) {
        for_each_device_format(a, [&](const std::string& label, const auto& matrix) {
            for (const auto& kernel : spmv_kernels(backend(), matrix)) {
                SCOPED_TRACE(label + "/" + std::string(kernel.name) + " " + std::to_string(a.n_rows) + " x " +
                             std::to_string(a.n_cols));
                f(kernel, matrix);
                if (this->HasFatalFailure()) return;
            }
        });
    }

    /// The matrices that every rung must get right: empty rows, full rows, rows that are split over blocks.
    template <class F>
    void for_each_matrix(F&& f) {
        for_each_small_csr<T>(f);
        f(random_csr<T>({.n_rows = 1, .n_cols = 30000, .full_row = 0}));
        f(random_csr<T>({.n_rows = 3000, .n_cols = 1, .mean_row = 1}));
        f(random_csr<T>({.n_rows = 5000, .n_cols = 5000, .mean_row = 8, .full_row = 2047}));
        f(random_csr<T>({.n_rows = 40, .n_cols = 4000, .mean_row = 2500, .full_row = 7}));
        f(random_csr<T>({.n_rows = 90, .n_cols = 200000}));  // columns further apart than 16 bits
        OpenMP maker(2);
        f(poisson2d<T>(maker, 11, 40));  // diagonals that begin and end within slices
        f(stencil27<T>(maker, 9, 9, 4));
        f(elasticity3d<T>(maker, 4, 4, 3));
    }
};

using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CudaSpmv, Types);

TYPED_TEST(CudaSpmv, AlphaBetaAndFusedDot) {
    using T = TypeParam;
    constexpr std::pair<T, T> factors[] = {{1, 0}, {-2, T(0.3)}, {0, 2}};
    this->for_each_matrix([&](const HostCsr<T>& a) {
        const auto x = random_vector<T>(a.n_cols, 10);
        const auto y0 = random_vector<T>(a.n_rows, 11);
        const auto device_x = this->to_device(x);
        std::vector<SpmvReference> references;
        for (const auto& [alpha, beta] : factors) references.push_back(spmv_reference(a, x, y0, alpha, beta));
        this->for_each_rung(a, [&](const auto& kernel, const auto& matrix) {
            auto reference = references.begin();
            for (const auto& [alpha, beta] : factors) {
                auto y = this->to_device(y0);
                kernel.run(this->backend(), matrix,
                           {.x = device_x.data(), .y = y.data(), .alpha = alpha, .beta = beta});
                const auto plain = this->to_host(y);
                expect_within(plain, *reference);
                if (a.n_rows == a.n_cols) {
                    upload(this->backend(), y0, y);
                    auto dot = this->to_device(HostVector<double>{-1});
                    kernel.run(this->backend(), matrix,
                               {.x = device_x.data(), .y = y.data(), .alpha = alpha, .beta = beta, .dot = dot.data()});
                    const auto with_dot = this->to_host(y);
                    EXPECT_TRUE(std::equal(plain.begin(), plain.end(), with_dot.begin()))
                        << "asking for the dot changed y";
                    EXPECT_TRUE(within(load(this->backend(), dot), reference->dot, reference->dot_bound));
                }
                ++reference;
            }
        });
    });
}

TYPED_TEST(CudaSpmv, BetaZeroDoesNotReadY) {
    using T = TypeParam;
    const T nan = std::numeric_limits<T>::quiet_NaN();
    const auto a = random_csr<T>({.n_rows = 5000, .n_cols = 5000, .mean_row = 8, .full_row = 2047});
    const auto x = random_vector<T>(a.n_cols, 10);
    const auto reference = spmv_reference(a, x, HostVector<T>(a.n_rows, T{0}), T{1}, T{0});
    const auto device_x = this->to_device(x);
    this->for_each_rung(a, [&](const auto& kernel, const auto& matrix) {
        auto y = this->to_device(HostVector<T>(a.n_rows, nan));
        kernel.run(this->backend(), matrix, {.x = device_x.data(), .y = y.data()});
        expect_within(this->to_host(y), reference);
    });
}

TYPED_TEST(CudaSpmv, NanInXReachesTheRowsThatReferToIt) {
    using T = TypeParam;
    const auto a = random_csr<T>({.n_rows = 1000, .n_cols = 1000, .empty_rows = false});
    auto x = random_vector<T>(1000, 10);
    const Index bad = 617;
    x[bad] = std::numeric_limits<T>::quiet_NaN();
    const auto device_x = this->to_device(x);
    this->for_each_rung(a, [&](const auto& kernel, const auto& matrix) {
        DeviceVector<T> device_y(this->backend(), 1000);
        kernel.run(this->backend(), matrix, {.x = device_x.data(), .y = device_y.data()});
        const auto y = this->to_host(device_y);
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                const Index* const begin = a.col_idx.data() + row_ptr[i];
                const Index* const end = a.col_idx.data() + row_ptr[i + 1];
                ASSERT_EQ(std::isnan(y[i]), std::find(begin, end, bad) != end) << "row " << i;
            }
        });
    });
}

TYPED_TEST(CudaSpmv, RunsRepeatBitForBit) {
    using T = TypeParam;
    const auto a = random_csr<T>({.n_rows = 30001, .n_cols = 30001, .mean_row = 11, .full_row = 4000});
    const auto x = this->to_device(random_vector<T>(30001, 10));
    const auto run_once = [&](auto& kernel, const auto& matrix, double& dot) {
        DeviceVector<T> y(this->backend(), 30001);
        DeviceVector<double> device_dot(this->backend(), 1);
        kernel.run(this->backend(), matrix, {.x = x.data(), .y = y.data(), .dot = device_dot.data()});
        dot = load(this->backend(), device_dot);
        return this->to_host(y);
    };
    const auto csr = stiefel::to_device(this->backend(), a);
    for (const auto& kernel : spmv_kernels(this->backend(), csr)) {
        SCOPED_TRACE(kernel.name);
        double first_dot = 0;
        const auto first = run_once(kernel, csr, first_dot);
        for (int run = 0; run < 20; ++run) {
            double dot = 0;
            const auto y = run_once(kernel, csr, dot);
            ASSERT_EQ(std::bit_cast<std::int64_t>(dot), std::bit_cast<std::int64_t>(first_dot));
            ASSERT_TRUE(std::equal(y.begin(), y.end(), first.begin()));
        }
    }
}

/// More steps than the ring of `binned` has, and more strips of columns than there are multiprocessors.
TYPED_TEST(CudaSpmv, BinsGoRoundTheirRing) {
    using T = TypeParam;
    OpenMP maker;
    const auto host = power_law_rows<T>(maker, 500000, 6000000, {.mean = 16});
    const auto a = stiefel::to_device(this->backend(), host);
    const auto x = random_vector<T>(host.n_cols, 10);
    const auto device_x = this->to_device(x);
    const auto reference = spmv_reference(host, x, HostVector<T>(host.n_rows, T{0}), T{1}, T{0});
    const auto& kernel = find_kernel(this->backend(), a, "binned");
    HostVector<T> first;
    for (int run = 0; run < 3; ++run) {
        DeviceVector<T> y(this->backend(), host.n_rows);
        kernel.run(this->backend(), a, {.x = device_x.data(), .y = y.data()});
        auto there = this->to_host(y);
        if (run == 0) {
            expect_within(there, reference);
            ASSERT_NE(a.bins, nullptr);
            EXPECT_TRUE(a.bins->fits);
            EXPECT_GT(a.bins->n_steps, 3);
            EXPECT_GT(a.bytes(), host.bytes());
            first = std::move(there);
        } else {
            EXPECT_TRUE(std::equal(there.begin(), there.end(), first.begin()));
        }
    }
}

TYPED_TEST(CudaSpmv, DefaultsAndSizeErrors) {
    using T = TypeParam;
    const auto host = random_csr<T>({.n_rows = 40, .n_cols = 40});
    const auto a = stiefel::to_device(this->backend(), host);
    const auto x = random_vector<T>(40, 10);
    const auto device_x = this->to_device(x);
    DeviceVector<T> y(this->backend(), 40);
    DeviceVector<T> short_y(this->backend(), 39);
    DeviceVector<double> dot(this->backend(), 1);
    const auto reference = spmv_reference(host, x, HostVector<T>(40, T{0}), T{1}, T{0});
    spmv(this->backend(), a, device_x, y);
    expect_within(this->to_host(y), reference);
    spmv_dot(this->backend(), a, device_x, y, dot.data());
    EXPECT_TRUE(within(load(this->backend(), dot), reference.dot, reference.dot_bound));
    EXPECT_THROW(spmv(this->backend(), a, device_x, short_y), InvalidArgument);
    EXPECT_THROW(spmv_dot(this->backend(), a, device_x, short_y, dot.data()), InvalidArgument);
}

/// Whether two arrays hold the same bits.
template <class T>
::testing::AssertionResult same(const HostVector<T>& a, const HostVector<T>& b) {
    if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " elements, not " << b.size();
    if (std::equal(a.begin(), a.end(), b.begin())) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "elements differ";
}

TYPED_TEST(CudaSpmv, ConversionsAreThoseOfTheHost) {
    using T = TypeParam;
    OpenMP host(2);
    Cuda& device = this->backend();
    this->for_each_matrix([&](const HostCsr<T>& narrow) {
        const HostCsr<T> wide = with_wide_offsets(narrow);
        for (const HostCsr<T>* matrix : {&narrow, &wide}) {
            const HostCsr<T>& csr = *matrix;
            SCOPED_TRACE(std::to_string(csr.n_rows) + " x " + std::to_string(csr.n_cols));
            const auto device_csr = stiefel::to_device(device, csr);
            const auto back = stiefel::to_host(device, device_csr);
            EXPECT_EQ(back.row_ptr.is_wide(), csr.row_ptr.is_wide());
            EXPECT_TRUE(same(back.col_idx, csr.col_idx));
            EXPECT_TRUE(same(back.values, csr.values));
            for (auto layout : {EllpackLayout::row_major, EllpackLayout::column_major}) {
                const auto expected = ellpack_from_csr(host, csr, layout, no_limit);
                const auto a = stiefel::to_host(device, ellpack_from_csr(device, device_csr, layout, no_limit));
                EXPECT_EQ(a.width, expected.width);
                EXPECT_EQ(a.stride, expected.stride);
                EXPECT_TRUE(same(a.row_length, expected.row_length));
                EXPECT_TRUE(same(a.col_idx, expected.col_idx));
                EXPECT_TRUE(same(a.values, expected.values));
            }
            for (const auto& [height, sigma] :
                 {std::pair<Index, Index>{32, 1}, {32, 64}, {32, 4096}, {5, 12}, {8, 1}}) {
                SCOPED_TRACE("sell-" + std::to_string(height) + "-" + std::to_string(sigma));
                const auto expected = sell_from_csr(host, csr, height, sigma, no_limit);
                const auto a = stiefel::to_host(device, sell_from_csr(device, device_csr, height, sigma, no_limit));
                EXPECT_TRUE(same(a.slice_ptr, expected.slice_ptr));
                EXPECT_TRUE(same(a.row_of_slot, expected.row_of_slot));
                EXPECT_TRUE(same(a.row_length, expected.row_length));
                EXPECT_TRUE(same(a.col_idx, expected.col_idx));
                EXPECT_TRUE(same(a.values, expected.values));
            }
        }
    });
}

TYPED_TEST(CudaSpmv, CompressedColumnsAreThoseOfTheHost) {
    using T = TypeParam;
    OpenMP host(2);
    Cuda& device = this->backend();
    std::map<SliceColumns, int> seen;
    this->for_each_matrix([&](const HostCsr<T>& narrow) {
        const HostCsr<T> wide = with_wide_offsets(narrow);
        for (const HostCsr<T>* csr : {&narrow, &wide}) {
            const auto device_csr = stiefel::to_device(device, *csr);
            for (const Index sigma : {1, 256}) {
                SCOPED_TRACE(fmt::format("{} x {}, sorted within {}", csr->n_rows, csr->n_cols, sigma));
                const auto expected = compressed_sell_from_csr(host, *csr, sigma, no_limit);
                const auto a = stiefel::to_host(device, compressed_sell_from_csr(device, device_csr, sigma, no_limit));
                EXPECT_TRUE(same(a.row_of_slot, expected.row_of_slot));
                ASSERT_EQ(a.slices.size(), expected.slices.size());
                for (Size slice = 0; slice < a.slices.size(); ++slice) {
                    const CompressedSlice &found = a.slices[slice], &like = expected.slices[slice];
                    EXPECT_EQ(found.distance, like.distance) << slice;
                    if (slice + 1 == a.slices.size()) break;
                    EXPECT_EQ(found.columns, like.columns) << slice;
                    EXPECT_EQ(found.padded, like.padded) << slice;
                    ASSERT_EQ(found.n_groups, like.n_groups) << slice;
                    // On the host several may have the same groups.
                    const auto n = static_cast<std::size_t>(found.n_groups);
                    EXPECT_EQ(
                        std::memcmp(a.base.data() + found.group, expected.base.data() + like.group, n * sizeof(Index)),
                        0)
                        << slice;
                    EXPECT_EQ(std::memcmp(a.values.data() + found.group * expected.slice_height,
                                          expected.values.data() + like.group * expected.slice_height,
                                          n * expected.slice_height * sizeof(T)),
                              0)
                        << slice;
                    ++seen[found.columns];
                }
                EXPECT_TRUE(same(a.distances, expected.distances));
                for (const Index every : {1, 16}) {
                    const FormatSize size = compressed_sell_size(device, device_csr, sigma, every);
                    const FormatSize of_host = compressed_sell_size(host, *csr, sigma, every);
                    EXPECT_EQ(size.entries, of_host.entries);
                    EXPECT_EQ(size.structure_bytes, of_host.structure_bytes);
                }
            }
        }
    });
    EXPECT_EQ(seen.size(), 3u) << "some way to keep columns was not tried";
}

/// And nothing that differs, by a bit of one value or by a column.
TYPED_TEST(CudaSpmv, SlicesOfConstantCoefficientsAreStoredOnce) {
    using T = TypeParam;
    OpenMP host(2);
    Cuda& device = this->backend();
    const auto check = [&](const HostCsr<T>& a) {
        const auto on_host = compressed_sell_from_csr(host, a, 1, no_limit);
        const auto on_device = compressed_sell_from_csr(device, stiefel::to_device(device, a), 1, no_limit);
        EXPECT_EQ(on_device.values.size(), on_host.values.size());
        EXPECT_EQ(on_device.base.size(), on_host.base.size());
        const HostVector<T> x = random_vector<T>(a.n_cols, 3), y = random_vector<T>(a.n_rows, 4);
        auto device_y = this->to_device(y);
        spmv(device, on_device, this->to_device(x), device_y, T{1.5}, T{-0.5});
        expect_within(this->to_host(device_y), spmv_reference(a, x, y, T{1.5}, T{-0.5}));
        return on_device.values.size();
    };
    EXPECT_LT(4 * check(poisson3d<T>(host, 30, 30, 30)), Size{7} * 27000);
    EXPECT_LT(4 * check(stencil27<T>(host, 32, 20, 20)), Size{27} * 12800);
    EXPECT_LT(4 * check(elasticity3d<T>(host, 60, 12, 12)), Size{60} * 30000);
    HostCsr<T> a = poisson2d<T>(host, 64, 64);
    const Size of_all = check(a), entry = a.nnz() / 2;
    a.values[entry] = std::nextafter(a.values[entry], T{10});
    EXPECT_EQ(check(a), of_all + Size{5} * DeviceCompressedSell<T>::slice_height) << "one slice more";
    HostCsr<T> none = poisson2d<T>(host, 64, 64);
    for (Size k = 0; k < none.nnz(); ++k) none.values[k] += static_cast<T>(k) / T{65536};
    EXPECT_GE(check(none), none.nnz());
}

/// Whatever x holds in a column that padding seems to stand in; and a zero that the matrix stores is an entry.
TYPED_TEST(CudaSpmv, PaddingAddsNothingAndStoredZerosDo) {
    using T = TypeParam;
    OpenMP maker(2);
    HostCsr<T> a = poisson2d<T>(maker, 11, 40);
    const Size zero = a.nnz() / 2;
    a.values[zero] = T{0};
    const auto device_a = compressed_sell_from_csr(this->backend(), stiefel::to_device(this->backend(), a), 1);
    const auto slices = stiefel::to_host(this->backend(), device_a).slices.clone();
    ASSERT_TRUE(std::any_of(slices.begin(), slices.end(), [](const auto& slice) { return slice.padded; }));
    for (const Index k : {1, 3}) {
        for (const Index bad : {Index{0}, a.n_cols / 2, a.n_cols - 1, a.col_idx[zero]}) {
            HostVector<T> x(Size{a.n_cols} * k, T{1});
            x[Size{bad} * k] = std::numeric_limits<T>::infinity();
            const auto device_x = this->to_device(x);
            DeviceVector<T> device_y(this->backend(), Size{a.n_rows} * k);
            if (k == 1) {
                spmv(this->backend(), device_a, device_x, device_y);
            } else {
                spmm(this->backend(), device_a, as_matrix(device_x, a.n_cols, k), as_matrix(device_y, a.n_rows, k));
            }
            const auto y = this->to_host(device_y);
            a.row_ptr.visit([&](const auto* row_ptr) {
                for (Index i = 0; i < a.n_rows; ++i) {
                    const Index* const begin = a.col_idx.data() + row_ptr[i];
                    const Index* const end = a.col_idx.data() + row_ptr[i + 1];
                    const bool refers = std::find(begin, end, bad) != end;
                    ASSERT_EQ(std::isfinite(y[Size{i} * k]), !refers) << "row " << i << ", column " << bad;
                }
            });
        }
    }
}

TYPED_TEST(CudaSpmv, PaddingBeyondTheLimitIsRefused) {
    using T = TypeParam;
    const auto csr =
        stiefel::to_device(this->backend(), random_csr<T>({.n_rows = 1000, .n_cols = 1000, .full_row = 10}));
    EXPECT_THROW(ellpack_from_csr(this->backend(), csr, EllpackLayout::row_major), InvalidArgument);
    EXPECT_THROW(sell_from_csr(this->backend(), csr, 1000, 1), InvalidArgument);
    EXPECT_NO_THROW(sell_from_csr(this->backend(), csr, 8, 1000));
    EXPECT_THROW(compressed_sell_from_csr(this->backend(), csr, 1, {.factor = 1.5}), InvalidArgument);
    EXPECT_THROW(compressed_sell_from_csr(this->backend(), csr, 0), InvalidArgument);
}

TYPED_TEST(CudaSpmv, OperatorTakesWhatIsAskedAndSaysWhy) {
    using T = TypeParam;
    OpenMP maker(2);
    const auto host = random_csr<T>({.n_rows = 3000, .n_cols = 3000, .mean_row = 6});
    const auto rows = row_statistics(maker, host);
    const auto x = random_vector<T>(3000, 10);
    const auto device_x = this->to_device(x);
    const auto reference = spmv_reference(host, x, HostVector<T>(3000, T{0}), T{1}, T{0});
    const auto choose = [&](const FormatChoice& choice) {
        return choose_operator<Cuda, T>(this->backend(), stiefel::to_device(this->backend(), host), rows, choice);
    };
    for (const FormatChoice& choice : {FormatChoice{}, FormatChoice{.format = "csr"}, FormatChoice{.format = "ellpack"},
                                       FormatChoice{.format = "sell"}, FormatChoice{.format = "compressed-sell"},
                                       FormatChoice{"csr", "merge"}, FormatChoice{"auto", "adaptive"}}) {
        const auto chosen = choose(choice);
        EXPECT_TRUE(choice.format == "auto" || chosen.a.format() == choice.format) << chosen.a.format();
        EXPECT_TRUE(choice.kernel == "auto" || chosen.a.kernel() == choice.kernel) << chosen.a.kernel();
        EXPECT_FALSE(chosen.why.empty());
        DeviceVector<T> y(this->backend(), 3000);
        spmv(this->backend(), chosen.a, device_x, y);
        expect_within(this->to_host(y), reference);
    }
    EXPECT_THROW(choose({.format = "dia"}), InvalidArgument);
    EXPECT_THROW(choose({.kernel = "fastest"}), InvalidArgument);
}

TYPED_TEST(CudaSpmv, EvenRowsBeyondTheCacheAreNotMeasured) {
    using T = TypeParam;
    OpenMP maker(2);
    const auto bytes_of_row = static_cast<double>(5 * (sizeof(T) + sizeof(Index)) + sizeof(Index));
    const auto side =
        static_cast<Index>(1.1 * std::sqrt(static_cast<double>(this->backend().device().l2_bytes) / bytes_of_row));
    const auto host = poisson2d<T>(maker, side, side);
    const auto chosen = choose_operator<Cuda, T>(this->backend(), stiefel::to_device(this->backend(), host),
                                                 row_statistics(maker, host.row_ptr));
    EXPECT_EQ(chosen.a.format(), "compressed-sell");
    EXPECT_EQ(chosen.why.find("measured"), std::string::npos) << chosen.why;
    const auto x = random_vector<T>(host.n_rows, 10);
    DeviceVector<T> y(this->backend(), host.n_rows);
    spmv(this->backend(), chosen.a, this->to_device(x), y);
    expect_within(this->to_host(y), spmv_reference(host, x, HostVector<T>(host.n_rows, T{0}), T{1}, T{0}));
}

/// As on a host, with a clock that says what the test wants.
TYPED_TEST(CudaSpmv, ATrialKeepsToItsBudgetAndToTheModelUnlessAnotherGainsEveryTime) {
    using T = TypeParam;
    OpenMP maker(2);
    const auto host = random_csr<T>({.n_rows = 200000, .n_cols = 200000, .mean_row = 12});
    const RowStatistics rows = row_statistics(maker, host);
    std::map<std::string, int> calls;
    const auto choose = [&](double products, std::function<double(std::string_view, int)> seconds) {
        calls.clear();
        const ProductTimer timer = [&, seconds](std::string_view name, const std::function<void()>& product) {
            product();
            return seconds(name, calls[std::string(name)]++);
        };
        return choose_operator<Cuda, T>(this->backend(), stiefel::to_device(this->backend(), host), rows,
                                        {.format = "csr", .products = products, .timer = timer});
    };
    const auto unmeasured = choose(20, [](auto, int) { return 1.0; });
    EXPECT_TRUE(calls.empty()) << unmeasured.why;
    EXPECT_NE(unmeasured.why.find("unmeasured as a trial takes over 3 %"), std::string::npos) << unmeasured.why;
    const std::string model(unmeasured.a.kernel());

    const auto of_model = choose(1e6, [&](std::string_view, int) { return 1.0; });
    EXPECT_EQ(of_model.a.kernel(), model) << of_model.why;
    ASSERT_GE(calls.size(), 2u) << of_model.why;
    std::string other;
    for (const auto& [name, n] : calls) {
        if (name != "csr/" + model) other = name;
    }
    const auto disturbed =
        choose(1e6, [&](std::string_view name, int call) { return name == "csr/" + model && call == 1 ? 2.0 : 1.0; });
    EXPECT_EQ(disturbed.a.kernel(), model) << disturbed.why;
    const auto corrected = choose(1e6, [&](std::string_view name, int) { return name == other ? 0.9 : 1.0; });
    EXPECT_EQ("csr/" + std::string(corrected.a.kernel()), other) << corrected.why;
    const auto x = random_vector<T>(host.n_rows, 10);
    DeviceVector<T> y(this->backend(), host.n_rows);
    spmv(this->backend(), corrected.a, this->to_device(x), y);
    expect_within(this->to_host(y), spmv_reference(host, x, HostVector<T>(host.n_rows, T{0}), T{1}, T{0}));
}

/// What long and short rows ask for, by the model alone.
TYPED_TEST(CudaSpmv, TheModelKnowsLongRowsFromShortOnes) {
    using T = TypeParam;
    OpenMP maker(2);
    const auto chosen = [&](const HostCsr<T>& host, const FormatChoice& choice = {}) {
        const auto found = choose_operator<Cuda, T>(this->backend(), stiefel::to_device(this->backend(), host),
                                                    row_statistics(maker, host), choice);
        return std::string(found.a.format()) + "/" + std::string(found.a.kernel());
    };
    EXPECT_EQ(chosen(poisson2d<T>(maker, 300, 300)), "sell/thread");
    EXPECT_EQ(chosen(poisson2d<T>(maker, 500, 500), {.may_stay = false}).find("compressed-sell"), 0U);
    EXPECT_EQ(chosen(poisson2d<T>(maker, 900, 900)).find("compressed-sell"), 0U) << "its vectors alone may stay";
    EXPECT_EQ(chosen(power_law_rows<T>(maker, 300000, 300000)), "csr/adaptive") << "one row is as long as thousands";
    const std::string of_long_rows = chosen(random_csr<T>({.n_rows = 3000, .n_cols = 3000, .mean_row = 60}));
    EXPECT_TRUE(of_long_rows == "csr/subwarp" || of_long_rows == "ellpack/subwarp") << of_long_rows;
}

}  // namespace
}  // namespace stiefel::test
