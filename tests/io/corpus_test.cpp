#include "stiefel/core/error.hpp"
#include "stiefel/io/gzip.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "test_paths.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

// data/valid and data/invalid hold one file for every rule of the reader; EXPECTED in each says what is to come of
// them, a line a file. All are read from the disk and from memory, as they are and compressed, in chunks of any size,
// by any number of threads, always to the same end.

namespace stiefel {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

/// The lines of data/FOLDER/EXPECTED, by file; every file of the folder must have one.
std::vector<std::pair<fs::path, std::string>> expectations(const std::string& folder) {
    const fs::path path = fs::path(STIEFEL_TEST_DATA) / folder;
    std::vector<std::pair<fs::path, std::string>> list;
    std::set<fs::path> named{path / "EXPECTED"};
    std::ifstream lines(path / "EXPECTED");
    for (std::string line; std::getline(lines, line);) {
        const std::size_t blank = line.find(' ');
        list.emplace_back(path / line.substr(0, blank), line.substr(blank + 1));
        named.insert(list.back().first);
        EXPECT_TRUE(fs::exists(list.back().first)) << list.back().first;
    }
    for (const auto& entry : fs::directory_iterator(path)) EXPECT_TRUE(named.contains(entry.path())) << entry.path();
    return list;
}

/// Calls f(description, read) with read() reading the file in one of many ways.
template <class F>
void for_all_ways(const fs::path& file, F&& f) {
    const std::string text = content(file);
    const std::string compressed = gzip_member(text);
    // Only Matrix Market is parsed in chunks.
    const bool has_chunks = file.extension() == ".mtx";
    for (Size chunk_bytes : has_chunks ? std::vector<Size>{1, 5, 64, 1 << 18} : std::vector<Size>{1 << 18}) {
        for (int threads : has_chunks ? std::vector<int>{1, 2, 3, 7} : std::vector<int>{3}) {
            const ReadOptions options{.threads = threads, .chunk_bytes = chunk_bytes};
            const auto from = [&](const std::string& bytes) {
                return [&] { return parse_matrix<double>({bytes.data(), bytes.size()}, "memory", options); };
            };
            const std::string way = fmt::format("{}, chunks of {}, {} threads", file.string(), chunk_bytes, threads);
            f(way + ", from disk", [&] { return read_matrix<double>(file.string(), options); });
            f(way + ", from memory", from(text));
            // What is compressed already is another file once it is compressed again.
            if (text.starts_with('%') || !has_chunks) f(way + ", compressed", from(compressed));
        }
    }
}

TEST(Corpus, EveryInvalidFileIsRefusedAtItsPlace) {
    const auto files = expectations("invalid");
    EXPECT_GE(files.size(), 40u);
    for (const auto& [file, expected] : files) {
        std::istringstream fields(expected);
        Size line = 0, column = 0;
        std::string fragment;
        fields >> line >> column >> std::ws;
        std::getline(fields, fragment);
        for_all_ways(file, [&](const std::string& way, const auto& read) {
            try {
                read();
                ADD_FAILURE() << way << ": read without an error";
            } catch (const ParseError& error) {
                EXPECT_EQ(error.line(), line) << way << ": " << error.what();
                EXPECT_EQ(error.column(), column) << way << ": " << error.what();
                EXPECT_NE(std::string(error.what()).find(fragment), std::string::npos)
                    << way << ": " << error.what() << "\n  expected: " << fragment;
            }
        });
    }
}

std::string describe(const Coo<double>& coo) {
    const char* const symmetry = coo.symmetry == Symmetry::general     ? "general"
                                 : coo.symmetry == Symmetry::symmetric ? "symmetric"
                                                                       : "skew";
    std::string text = fmt::format("{} {} {}", symmetry, coo.n_rows, coo.n_cols);
    for (Size e = 0; e < coo.n_entries(); ++e) {
        text += fmt::format(" {},{},{}", coo.row_idx[e] + Size{1}, coo.col_idx[e] + Size{1}, coo.values[e]);
    }
    return text;
}

/// The same, with the values of the expectation read and written as ours are.
std::string describe(const std::string& expected) {
    std::istringstream fields(expected);
    std::string symmetry, n_rows, n_cols;
    fields >> symmetry >> n_rows >> n_cols;
    std::string text = symmetry + ' ' + n_rows + ' ' + n_cols;
    for (std::string entry; fields >> entry;) {
        const std::size_t comma = entry.rfind(',') + 1;
        text += fmt::format(" {}{}", entry.substr(0, comma), std::strtod(entry.c_str() + comma, nullptr));
    }
    return text;
}

TEST(Corpus, EveryValidFileIsReadRight) {
    for (const auto& [file, expected] : expectations("valid")) {
        for_all_ways(file, [&, &text = expected](const std::string& way, const auto& read) {
            try {
                EXPECT_EQ(describe(read().coo), describe(text)) << way;
            } catch (const Error& error) {
                ADD_FAILURE() << way << ": " << error.what();
            }
        });
    }
}

TEST(Corpus, ArchivesGiveTheirRightHandSide) {
    const std::string archive = std::string(STIEFEL_TEST_DATA) + "/valid/suitesparse_tar_gz.mtx";
    const HostVector<double> b = read_vector<double>(archive, 2);
    EXPECT_EQ(b[0], 8);
    EXPECT_EQ(b[1], 9);
    EXPECT_EQ(read_array<double>(archive).n_cols, 1);
    try {
        read_vector<double>(archive, 2, {.archive_suffix = "_x"});
        FAIL() << "found a file that is not there";
    } catch (const ParseError& error) {
        EXPECT_NE(std::string(error.what()).find("no file NAME/NAME_x.mtx"), std::string::npos) << error.what();
    }
}

TEST(Corpus, SinglePrecisionOverflowsEarlier) {
    const std::string text = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e39\n";
    EXPECT_THROW(parse_matrix<float>({text.data(), text.size()}, "memory"), ParseError);
    EXPECT_EQ(parse_matrix<double>({text.data(), text.size()}, "memory").coo.values[0], 1e39);
}

}  // namespace
}  // namespace stiefel
