#include "bench/suites/suite_file.hpp"

#include "scratch_file.hpp"
#include "stiefel/core/error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace stiefel::bench {

namespace {

using test::ScratchFile;

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

SuiteHeader header() {
    SuiteHeader h{.suite = "spmv", .quick = true, .started = "2026-11-22T18:00:00Z", .command = {"suite", "spmv"}};
    h.machine = {.cpu = "A processor",
                 .cores = 2,
                 .memory_bytes = 1 << 30,
                 .instruction_sets = "avx2",
                 .host_bandwidth = 2e10,
                 .gpu = "A device",
                 .gpu_bandwidth = 3e12};
    h.build = {.version = "0.1.0", .commit = "abc", .compiler = "GNU 12.2.0", .cuda = "13.0"};
    h.libraries = {{"OpenBLAS", "OpenBLAS 0.3.21"}, {"BLIS", std::nullopt}};
    return h;
}

CaseRecord measured(const std::string& matrix, double density) {
    CaseRecord record{.labels = {{"matrix", matrix}, {"threads", Size{2}}, {"density", density}}};
    record.work = Work{.bytes = 1234, .flops = 98};
    record.seconds = {1.5e-6, 1.25e-6};
    record.set("nnz", 49);
    record.set("max_relative_error", 1.25e-16);
    record.history = {{0, 1.0}, {7, 1e-9}};
    return record;
}

TEST(SuiteFile, ComesBackAsItWasWritten) {
    const ScratchFile there;
    SuiteFile file(there.path(), header());
    file.put(measured("a \"quoted\" name", 0.001));
    CaseRecord refused{.labels = {{"matrix", "b"}}, .refused = "padding: 4 GiB"};
    refused.set("padding", std::nan(""));
    file.put(refused);
    file.save();

    const SuiteFile read = read_suite_file(there.path());
    EXPECT_EQ(read.header().suite, "spmv");
    EXPECT_TRUE(read.header().quick);
    EXPECT_EQ(read.header().command, header().command);
    EXPECT_EQ(read.header().machine.gpu, "A device");
    EXPECT_EQ(read.header().machine.host_bandwidth, 2e10);
    EXPECT_EQ(read.header().build, header().build);
    EXPECT_EQ(read.header().libraries, header().libraries);
    ASSERT_EQ(read.cases().size(), 2u);
    const CaseRecord &first = read.cases()[0], expected = measured("a \"quoted\" name", 0.001);
    EXPECT_EQ(first.labels, expected.labels);
    EXPECT_EQ(first.seconds, expected.seconds);
    EXPECT_EQ(first.values, expected.values);
    EXPECT_EQ(first.history, expected.history);
    EXPECT_EQ(first.work->flops, 98);
    EXPECT_EQ(first.work->bytes, 1234);
    EXPECT_TRUE(first.is_measured());
    EXPECT_EQ(read.cases()[1].refused, "padding: 4 GiB");
    EXPECT_TRUE(std::isnan(read.cases()[1].value("padding")));
    EXPECT_FALSE(read.cases()[1].work.has_value());
}

TEST(SuiteFile, IsAsTheContractSays) {
    const ScratchFile there;
    SuiteFile file(there.path(), header());
    file.put(measured("a", 0.5));
    file.save();
    EXPECT_TRUE(contains(there.text(), R"({"schema": "stiefel-suite/1",)")) << there.text();
    EXPECT_TRUE(contains(there.text(),
                         R"({"labels":{"matrix":"a","threads":2,"density":0.5},)"
                         R"("work":{"flops":98,"bytes":1234},"seconds":[1.5e-06,1.25e-06],)"
                         R"("values":{"nnz":49,"max_relative_error":1.25e-16},"history":[[0,1.0],[7,1e-09]]})"))
        << there.text();
}

TEST(SuiteFile, KnowsWhatWasMeasured) {
    SuiteFile file("unwritten", header());
    const Labels labels{{"matrix", "a"}};
    EXPECT_FALSE(file.has(labels));
    file.put({.labels = labels, .refused = "too large"});
    EXPECT_FALSE(file.has(labels)) << "limits may be others now";
    file.put({.labels = labels, .seconds = {1.0}});
    EXPECT_TRUE(file.has(labels));
    ASSERT_EQ(file.cases().size(), 1u);
    EXPECT_EQ(file.cases()[0].seconds, std::vector{1.0});
}

TEST(SuiteFile, BeginsWhereThereIsNone) {
    const ScratchFile there;
    EXPECT_TRUE(SuiteFile::resume(there.path(), header()).cases().empty());
}

/// What another machine or build changes in the header.
struct Change {
    const char* what;
    std::function<void(SuiteHeader&)> make;
};

TEST(SuiteFile, GoesOnOnlyWithTheSameMachineAndBuild) {
    const ScratchFile there;
    SuiteFile file(there.path(), header());
    file.put(measured("a", 0.5));
    file.save();
    EXPECT_EQ(SuiteFile::resume(there.path(), header()).cases().size(), 1u);
    const Change changes[] = {
        {"suite", [](SuiteHeader& h) { h.suite = "spmm"; }},
        {"scope", [](SuiteHeader& h) { h.quick = false; }},
        {"processor", [](SuiteHeader& h) { h.machine.cpu = "Another"; }},
        {"number of cores", [](SuiteHeader& h) { h.machine.cores = 4; }},
        {"memory", [](SuiteHeader& h) { h.machine.memory_bytes *= 2; }},
        {"instruction set", [](SuiteHeader& h) { h.machine.instruction_sets = "avx512"; }},
        {"device", [](SuiteHeader& h) { h.machine.gpu = "Another"; }},
        {"version", [](SuiteHeader& h) { h.build.version = "0.2.0"; }},
        {"commit", [](SuiteHeader& h) { h.build.commit = "abc+"; }},
        {"compiler", [](SuiteHeader& h) { h.build.compiler = "Clang 14"; }},
        {"CUDA", [](SuiteHeader& h) { h.build.cuda = std::nullopt; }},
        {"folder of --matrices",
         [](SuiteHeader& h) {
             h.command = {"suite", "spmv", "--matrices", "others"};
         }},
    };
    for (const Change& change : changes) {
        SuiteHeader other = header();
        change.make(other);
        try {
            SuiteFile::resume(there.path(), other);
            ADD_FAILURE() << change.what;
        } catch (const InvalidArgument& refusal) {
            EXPECT_TRUE(contains(refusal.what(), std::string("another ") + change.what)) << refusal.what();
            EXPECT_TRUE(contains(refusal.what(), "--restart")) << refusal.what();
        }
    }
}

TEST(SuiteFile, RefusesWhatIsNoFileOfASuite) {
    const ScratchFile there;
    for (const char* text : {"", "{", "[1, 2]", "{}", R"({"schema": "stiefel-suite/2"})",
                             R"({"schema": "stiefel-suite/1", "suite": 3})"}) {
        there.write(text);
        try {
            read_suite_file(there.path());
            ADD_FAILURE() << text;
        } catch (const ParseError& problem) {
            EXPECT_TRUE(contains(problem.what(), there.path())) << problem.what();
        }
    }
}

}  // namespace

}  // namespace stiefel::bench
