#include "bench/suites/lazy.hpp"
#include "bench/suites/run_suite.hpp"

#include "scratch_file.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace stiefel::bench {

namespace {

using test::ScratchFile;

/// Cases that say how often they ran.
struct Counted {
    std::vector<int> runs;

    explicit Counted(std::size_t n) : runs(n, 0) {}

    std::vector<Case> cases() {
        std::vector<Case> list;
        for (std::size_t k = 0; k < runs.size(); ++k) {
            list.push_back({.labels = {{"case", static_cast<Size>(k)}},
                            .measure = [this, k](CaseRecord& record, const Sampler& sampler) {
                                ++runs[k];
                                sampler.take([] { return 0.5; }, record.seconds);
                            }});
        }
        return list;
    }
};

Sampler sampler(std::function<bool()> stops = [] { return false; }) {
    return Sampler({.most = 4, .least = 2, .seconds = 100}, std::move(stops));
}

SuiteSurroundings surroundings(std::function<bool()> stops = [] { return false; }) {
    return {.stops = std::move(stops), .show = {}, .complain = [](const std::string&) {}, .save_interval = 1e9};
}

TEST(RunCases, MeasuresAllAndWritesTheFile) {
    const ScratchFile there;
    SuiteFile file(there.path(), {.suite = "own"});
    Counted counted(3);
    const SuiteOutcome outcome = run_cases(counted.cases(), sampler(), file, surroundings());
    EXPECT_EQ(outcome.measured, 3u);
    EXPECT_FALSE(outcome.interrupted);
    const SuiteFile read = read_suite_file(there.path());
    ASSERT_EQ(read.cases().size(), 3u);
    EXPECT_EQ(read.cases()[2].seconds, std::vector<double>(4, 0.5));
}

TEST(RunCases, DoesNotMeasureAgainWhatTheFileHas) {
    const ScratchFile there;
    SuiteFile file(there.path(), {.suite = "own"});
    file.put({.labels = {{"case", Size{1}}}, .seconds = {7.0}});
    Counted counted(3);
    const SuiteOutcome outcome = run_cases(counted.cases(), sampler(), file, surroundings());
    EXPECT_EQ(counted.runs, (std::vector{1, 0, 1}));
    EXPECT_EQ(outcome.kept, 1u);
    EXPECT_EQ(outcome.measured, 2u);
    EXPECT_EQ(read_suite_file(there.path()).cases()[0].seconds, std::vector{7.0});
}

TEST(RunCases, ASignalLeavesWhatWasMeasuredAndTheRestIsMeasuredLater) {
    const ScratchFile there;
    Counted counted(4);
    {
        SuiteFile file(there.path(), {.suite = "own"});
        const auto in_the_third = [&] { return counted.runs[2] > 0; };
        const SuiteOutcome outcome =
            run_cases(counted.cases(), sampler(in_the_third), file, surroundings(in_the_third));
        EXPECT_TRUE(outcome.interrupted);
        EXPECT_EQ(outcome.measured, 2u);
    }
    EXPECT_EQ(read_suite_file(there.path()).cases().size(), 2u) << "a case that was interrupted does not count";
    SuiteFile file = SuiteFile::resume(there.path(), {.suite = "own"});
    const SuiteOutcome outcome = run_cases(counted.cases(), sampler(), file, surroundings());
    EXPECT_EQ(outcome.kept, 2u);
    EXPECT_EQ(outcome.measured, 2u);
    EXPECT_EQ(counted.runs, (std::vector{1, 1, 2, 1}));
}

TEST(RunCases, RefusalsAndWrongResultsArePartOfTheFile) {
    const ScratchFile there;
    SuiteFile file(there.path(), {.suite = "own"});
    std::vector<Case> cases;
    cases.push_back({.labels = {{"case", "refused"}},
                     .measure = [](CaseRecord&, const Sampler&) { throw Refused("it would take 5 GiB"); }});
    cases.push_back({.labels = {{"case", "wrong"}}, .measure = [](CaseRecord& record, const Sampler&) {
                         record.seconds = {1.0};
                         throw WrongResult("off by 1");
                     }});
    const SuiteOutcome outcome = run_cases(std::move(cases), sampler(), file, surroundings());
    EXPECT_EQ(outcome.refused, 2u);
    EXPECT_EQ(outcome.wrong, 1u);
    const SuiteFile read = read_suite_file(there.path());
    EXPECT_EQ(read.cases()[0].refused, "it would take 5 GiB");
    EXPECT_EQ(read.cases()[1].refused, "off by 1");
    EXPECT_TRUE(read.cases()[1].seconds.empty()) << "the time of a wrong result does not count";
}

TEST(RunCases, OperandsAreMadeOnceAndGoWithTheirLastCase) {
    const ScratchFile there;
    SuiteFile file(there.path(), {.suite = "own"});
    int made = 0;
    std::weak_ptr<Lazy<int>> watched;
    bool is_gone = false;
    std::vector<Case> cases;
    {
        const auto operand = lazy<int>([&made] { return ++made; });
        watched = operand;
        for (const char* name : {"first", "last"}) {
            cases.push_back({.labels = {{"case", name}}, .measure = [operand](CaseRecord& record, const Sampler&) {
                                 record.seconds = {1.0 * operand->get()};
                             }});
        }
    }
    cases.push_back({.labels = {{"case", "another"}},
                     .measure = [&](CaseRecord&, const Sampler&) { is_gone = watched.expired(); }});
    run_cases(std::move(cases), sampler(), file, surroundings());
    EXPECT_EQ(made, 1);
    EXPECT_TRUE(is_gone);
}

TEST(Sampler, TakesAtLeastSoManyAndStopsAtTheTimeBeyondThem) {
    std::vector<double> seconds;
    const Sampler samples({.most = 10, .least = 3, .seconds = 5}, [] { return false; });
    samples.take([] { return 2.0; }, seconds);
    EXPECT_EQ(seconds.size(), 3u);
    seconds.clear();
    samples.take([] { return 0.1234567891; }, seconds);
    EXPECT_EQ(seconds, std::vector<double>(10, 0.123457));
}

}  // namespace

}  // namespace stiefel::bench
