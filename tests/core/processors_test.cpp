#include "stiefel/core/processors.hpp"

#include "stiefel/core/openmp.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

namespace stiefel {
namespace {

namespace fs = std::filesystem;

/// A root directory with the files that tell of control groups.
class ControlGroups : public ::testing::Test {
protected:
    ControlGroups() {
        std::string pattern = (fs::temp_directory_path() / "stiefel-groups-XXXXXX").string();
        root = mkdtemp(pattern.data());
    }
    ~ControlGroups() override { fs::remove_all(root); }

    void write(const std::string& path, const std::string& text) const {
        fs::create_directories((root / path).parent_path());
        std::ofstream(root / path) << text;
    }
    void mount_version_2(const std::string& from = "/") const {
        write("proc/self/mountinfo", "22 1 0:20 / /proc rw - proc proc rw\n30 23 0:26 " + from +
                                         " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
    }
    void mount_version_1(const std::string& from = "/") const {
        write("proc/self/mountinfo", "31 23 0:27 " + from +
                                         " /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
                                         "32 23 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n");
    }

    fs::path root;
};

TEST_F(ControlGroups, WithoutAnyThereIsNoQuota) {
    EXPECT_TRUE(std::isinf(cpu_quota(root)));
    mount_version_2();
    EXPECT_TRUE(std::isinf(cpu_quota(root)));
    write("proc/self/cgroup", "0::/user\n");
    write("sys/fs/cgroup/user/cpu.max", "max 100000\n");
    EXPECT_TRUE(std::isinf(cpu_quota(root)));
}

TEST_F(ControlGroups, TheTightestOfNestedGroupsCounts) {
    mount_version_2();
    write("proc/self/cgroup", "0::/machine/box/job\n");
    write("sys/fs/cgroup/machine/cpu.max", "400000 100000\n");
    write("sys/fs/cgroup/machine/box/cpu.max", "125000 50000\n");
    write("sys/fs/cgroup/machine/box/job/cpu.max", "max 100000\n");
    EXPECT_EQ(cpu_quota(root), 2.5);
    write("sys/fs/cgroup/machine/box/job/cpu.max", "150000 100000\n");
    EXPECT_EQ(cpu_quota(root), 1.5);
}

TEST_F(ControlGroups, VersionOneIsReadAsWell) {
    mount_version_1();
    write("proc/self/cgroup", "5:cpuset:/elsewhere\n4:cpu,cpuacct:/box\n0::/\n");
    write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    write("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "300000\n");
    write("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cpu_quota(root), 3);
}

TEST_F(ControlGroups, InsideOfAContainerTheGroupIsWhatIsMounted) {
    mount_version_1("/docker/abc");
    write("proc/self/cgroup", "4:cpu,cpuacct:/docker/abc\n");
    write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n");
    write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cpu_quota(root), 2);
    write("proc/self/cgroup", "4:cpu,cpuacct:/docker/other\n");  // not to be seen from here: what is mounted counts
    EXPECT_EQ(cpu_quota(root), 2);
}

TEST(ThreadsUnderQuota, AreWholeOnesAndAtLeastOne) {
    EXPECT_EQ(threads_under_quota(8, std::numeric_limits<double>::infinity()), 8);
    EXPECT_EQ(threads_under_quota(8, 64), 8);
    EXPECT_EQ(threads_under_quota(8, 2.5), 2);
    EXPECT_EQ(threads_under_quota(8, 0.1), 1);
}

/// In a process of its own: what is set for OpenMP's threads there goes with it.
void print_default_threads() {
    std::fprintf(stderr, "%d threads\n", OpenMP().threads());
    std::exit(0);
}

TEST(DefaultThreads, AreWhatTheEnvironmentAsksFor) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // starts the program again, which reads the environment again
    setenv("OMP_NUM_THREADS", "3", 1);
    EXPECT_EXIT(print_default_threads(), ::testing::ExitedWithCode(0), "3 threads");
    unsetenv("OMP_NUM_THREADS");
}

/// The memory that this process has mapped.
Size mapped_bytes() {
    Size pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * sysconf(_SC_PAGESIZE);
}

/// In a process of its own, with room for the stacks of a few threads more.
void ask_for_more_than_can_be_started() {
    const auto room = static_cast<rlim_t>(mapped_bytes() + (Size{64} << 20));
    const rlimit addresses{room, room};
    setrlimit(RLIMIT_AS, &addresses);
    try {
        OpenMP backend(500);
    } catch (const OutOfThreads& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::exit(OpenMP(1).threads());
    }
    std::exit(0);
}

TEST(Threads, ThatCannotBeStartedAreNamedWithTheWayOut) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer ends the program itself where it cannot map memory";
#endif
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(ask_for_more_than_can_be_started(), ::testing::ExitedWithCode(1),
                "500 threads were to compute.*--threads 1");
}

}  // namespace
}  // namespace stiefel
