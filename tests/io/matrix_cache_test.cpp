// A cache gives back the matrix bit for bit, or nothing: whatever happened to it, or to its source.

#include "stiefel/io/matrix_cache.hpp"

#include "stiefel/spmv/convert.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

namespace stiefel {
namespace {

namespace fs = std::filesystem;
using Notes = std::vector<std::string>;

class Cache : public testing::Test {
protected:
    Cache() : folder_(fs::temp_directory_path() / fmt::format("stiefel_cache_{}", std::random_device{}())) {
        fs::create_directory(folder_);
        write("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 4.1\n2 2 4\n3 3 4\n3 1 -0.3\n");
    }
    ~Cache() override { fs::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path(name), std::ios::binary) << text;
    }
    std::string content(const std::string& name) const {
        std::ostringstream text;
        text << std::ifstream(path(name), std::ios::binary).rdbuf();
        return text.str();
    }

    template <class T = double>
    std::optional<CachedMatrix<T>> load(Notes& notes) {
        return MatrixCache(path("a.mtx")).load<T>(backend_, notes);
    }

    /// Reads the source and caches it.
    template <class T = double>
    CachedMatrix<T> read_and_save(Notes& notes) {
        MatrixCache cache(path("a.mtx"));
        static_cast<void>(cache.load<T>(backend_, notes));
        auto file = read_matrix<T>(path("a.mtx"));
        CachedMatrix<T> matrix{.symmetry = file.coo.symmetry,
                               .field = MatrixMarketField::integer,
                               .n_stored = 4,
                               .n_duplicates = 7,
                               .notes = {"one note", "another"}};
        matrix.csr = csr_from_coo(backend_, file.coo).csr;
        cache.save(backend_, matrix, notes);
        return matrix;
    }

    /// The cache is not used, with a note that says why.
    void expect_refused(const std::string& why) {
        Notes notes;
        EXPECT_FALSE(load(notes)) << why;
        ASSERT_EQ(notes.size(), 1u) << why;
        EXPECT_NE(notes[0].find(why), std::string::npos) << notes[0];
    }

    OpenMP backend_{2};

private:
    fs::path folder_;
};

template <class T>
void expect_same_bits(const CachedMatrix<T>& a, const CachedMatrix<T>& b) {
    ASSERT_EQ(a.csr.n_rows, b.csr.n_rows);
    ASSERT_EQ(a.csr.n_cols, b.csr.n_cols);
    ASSERT_EQ(a.csr.nnz(), b.csr.nnz());
    a.csr.row_ptr.visit([&](const auto* x) {
        b.csr.row_ptr.visit([&](const auto* y) {
            for (Size i = 0; i <= a.csr.n_rows; ++i) EXPECT_EQ(x[i], y[i]);
        });
    });
    EXPECT_EQ(std::memcmp(a.csr.col_idx.data(), b.csr.col_idx.data(), static_cast<std::size_t>(a.csr.col_idx.bytes())),
              0);
    EXPECT_EQ(std::memcmp(a.csr.values.data(), b.csr.values.data(), static_cast<std::size_t>(a.csr.values.bytes())), 0);
    EXPECT_EQ(a.symmetry, b.symmetry);
    EXPECT_EQ(a.field, b.field);
    EXPECT_EQ(a.n_stored, b.n_stored);
    EXPECT_EQ(a.n_duplicates, b.n_duplicates);
    EXPECT_EQ(a.notes, b.notes);
}

TEST_F(Cache, GivesBackTheSameBits) {
    Notes notes;
    EXPECT_FALSE(load(notes));
    const auto saved = read_and_save(notes);
    const auto loaded = load(notes);
    ASSERT_TRUE(loaded);
    expect_same_bits(saved, *loaded);
    const auto saved_single = read_and_save<float>(notes);
    const auto single = load<float>(notes);
    ASSERT_TRUE(single);
    expect_same_bits(saved_single, *single);
    EXPECT_TRUE(notes.empty()) << notes[0];
}

TEST_F(Cache, AMatrixOfManyBlocks) {
    std::string text = "%%MatrixMarket matrix coordinate real general\n400000 400000 400000\n";
    for (int i = 1; i <= 400'000; ++i) text += fmt::format("{} {} {}\n", i, 1 + (i * 7) % 400'000, i * 0.1);
    write("a.mtx", text);
    Notes notes;
    const auto saved = read_and_save(notes);
    const auto loaded = load(notes);
    ASSERT_TRUE(loaded);
    expect_same_bits(saved, *loaded);
}

TEST_F(Cache, EveryByteThatIsDamagedIsFound) {
    Notes notes;
    read_and_save(notes);
    const std::string good = content("a.mtx.stiefel-cache");
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 0x10);
        write("a.mtx.stiefel-cache", bad);
        Notes why;
        EXPECT_FALSE(load(why)) << "byte " << i;
        EXPECT_EQ(why.size(), 1u) << "byte " << i;
    }
    for (std::size_t n : {std::size_t{0}, std::size_t{100}, good.size() / 2, good.size() - 1}) {
        write("a.mtx.stiefel-cache", good.substr(0, n));
        expect_refused("it is cut short");
    }
    write("a.mtx.stiefel-cache", good + "x");
    expect_refused("it is cut short");
    write("a.mtx.stiefel-cache", good);
    EXPECT_TRUE(load(notes));
}

TEST_F(Cache, OthersAreToldApart) {
    Notes notes;
    read_and_save(notes);
    std::string other = content("a.mtx.stiefel-cache");
    other[8] = 99;
    write("a.mtx.stiefel-cache", other);
    expect_refused("it is of another version");
    std::swap(other[12], other[15]);
    std::swap(other[13], other[14]);
    write("a.mtx.stiefel-cache", other);
    expect_refused("another byte order");
    write("a.mtx.stiefel-cache", std::string(1000, 'x'));
    expect_refused("it is no cache");
    read_and_save<float>(notes);
    fs::copy_file(path("a.mtx.stiefel-cache32"), path("a.mtx.stiefel-cache"), fs::copy_options::overwrite_existing);
    expect_refused("it is damaged");
}

/// As an editor would, or a program that keeps size and time of last change.
TEST_F(Cache, ASourceThatChangesIsNoticed) {
    Notes notes;
    read_and_save(notes);
    const fs::file_time_type written = fs::last_write_time(path("a.mtx"));
    std::string text = content("a.mtx");
    text[text.find("4.1")] = '5';
    write("a.mtx", text);
    fs::last_write_time(path("a.mtx"), written);
    expect_refused("the file has changed since");
    EXPECT_EQ(read_and_save(notes).csr.values[0], 5.1);
    EXPECT_EQ(load(notes)->csr.values[0], 5.1);
    write("a.mtx", text + "\n");
    expect_refused("the file has changed since");
}

TEST_F(Cache, ACopyOfBothIsStillGood) {
    Notes notes;
    read_and_save(notes);
    fs::rename(path("a.mtx"), path("b"));
    fs::copy_file(path("b"), path("a.mtx"));
    EXPECT_TRUE(load(notes)) << notes.back();
}

TEST_F(Cache, ASourceThatChangesWhileItIsReadIsNotCached) {
    Notes notes;
    MatrixCache cache(path("a.mtx"));
    EXPECT_FALSE(cache.load<double>(backend_, notes));
    CachedMatrix<double> matrix;
    matrix.csr = csr_from_coo(backend_, read_matrix<double>(path("a.mtx")).coo).csr;
    write("a.mtx", content("a.mtx") + "\n");
    cache.save(backend_, matrix, notes);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_NE(notes[0].find("changed while it was read; no cache was written"), std::string::npos) << notes[0];
    EXPECT_FALSE(fs::exists(path("a.mtx.stiefel-cache")));
}

TEST_F(Cache, WhereItCannotBeWrittenIsANote) {
    fs::create_directory(path("a.mtx.stiefel-cache"));
    Notes notes;
    read_and_save(notes);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_NE(notes[0].find("no cache was written"), std::string::npos) << notes[0];
    Notes of_device;
    MatrixCache device("/dev/null");
    EXPECT_FALSE(device.load<double>(backend_, of_device));
    device.save(backend_, CachedMatrix<double>{}, of_device);
    EXPECT_NE(of_device.at(0).find("no regular file"), std::string::npos);
}

}  // namespace
}  // namespace stiefel
