// How the program deals with threads: those that cannot be had, and those that wait.

#include "cli/program.hpp"
#include "cli/systems.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace stiefel::test {
namespace {

TEST(Threads, ThatCannotBeStartedEndInNoResources) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer ends the program itself where it cannot map memory";
#endif
    Folder folder;
    folder.write("a.mtx", poisson_text(10));
    rlimit before{};
    getrlimit(RLIMIT_AS, &before);
    const rlimit a_gibibyte{rlim_t{1} << 30, before.rlim_max};
    setrlimit(RLIMIT_AS, &a_gibibyte);  // the program inherits it
    const Finished too_many = folder.run({"solve", "a.mtx", "--backend", "openmp", "--threads", "4096"});
    const Finished one = folder.run({"solve", "a.mtx", "--backend", "openmp", "--threads", "1"});
    setrlimit(RLIMIT_AS, &before);
    EXPECT_EQ(too_many.exit_code, 5) << too_many.err;
    EXPECT_TRUE(too_many.err.starts_with("stiefel: 4096 threads were to compute")) << too_many.err;
    EXPECT_NE(too_many.err.find("--threads 1"), std::string::npos) << too_many.err;
    EXPECT_EQ(one.exit_code, 0) << one.err;
}

/// Sets a variable, or removes it, and puts it back.
class EnvironmentVariable {
public:
    EnvironmentVariable(const char* name, const char* value) : name_(name) {
        if (const char* const before = std::getenv(name)) before_ = before;
        set(value);
    }
    EnvironmentVariable(const EnvironmentVariable&) = delete;
    EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;
    ~EnvironmentVariable() { set(before_ ? before_->c_str() : nullptr); }

private:
    void set(const char* value) const {
        if (value != nullptr) setenv(name_, value, 1);
        if (value == nullptr) unsetenv(name_);
    }

    const char* name_;
    std::optional<std::string> before_ = {};
};

/// The settings that the last start of the program found, as its OpenMP shows them.
std::string spin_count_shown(const char* wait_policy) {
    const EnvironmentVariable policy("OMP_WAIT_POLICY", wait_policy);
    const EnvironmentVariable of_the_user("GOMP_SPINCOUNT", nullptr), display("OMP_DISPLAY_ENV", "verbose");
    const std::string shown = Folder().run({"--version"}).err;
    const std::size_t last = shown.rfind("GOMP_SPINCOUNT = '");
    return last == std::string::npos ? "" : shown.substr(last + 18, shown.find('\'', last + 18) - last - 18);
}

TEST(Threads, ThatWaitGiveTheirProcessorAwaySoonUnlessTheUserSaysOtherwise) {
    const std::string active = spin_count_shown("active");
    if (active.empty()) GTEST_SKIP() << "not GNU's OpenMP";
    const long turns = std::stol(spin_count_shown(nullptr));  // 40 us, of 0.4 to 200 ns each
    EXPECT_GE(turns, 200);
    EXPECT_LE(turns, 100000);
    EXPECT_EQ(spin_count_shown("passive"), "0");
    EXPECT_NE(active, std::to_string(turns));
}

}  // namespace
}  // namespace stiefel::test
