/// Runs one job, of which bench/instruction_counts/count counts the instructions of the function `counted`:
///   instruction_jobs JOB        exit code 1 if its result is wrong
///   instruction_jobs --list     the names of all jobs, one a line
///   instruction_jobs --build    what counts depend on beside the source: compiler and C library
#include "bench/instruction_counts/job.hpp"

#include <gnu/libc-version.h>

#include <cstdio>
#include <exception>
#include <string_view>

/// The one that callgrind counts in, by this name.
extern "C" [[gnu::noinline]] bool counted(const std::function<bool()>& work) {
    return work();
}

namespace {

using stiefel::bench::CountedJob;

int run(const CountedJob& job) {
    if (counted(job.prepare())) return 0;
    std::fprintf(stderr, "%s: a wrong result\n", job.name.data());
    return 1;
}

}  // namespace

int main(int argc, char** argv) try {
    const std::string_view asked = argc == 2 ? argv[1] : "";
    if (asked == "--build") {
        std::printf("%s; glibc %s\n", STIEFEL_COMPILER, gnu_get_libc_version());
        return 0;
    }
    for (const auto jobs : {stiefel::bench::matrix_jobs(), stiefel::bench::solver_jobs()}) {
        for (const CountedJob& job : jobs) {
            if (asked == "--list") std::printf("%s\n", job.name.data());
            if (asked == job.name) return run(job);
        }
    }
    if (asked == "--list") return 0;
    std::fprintf(stderr, "usage: instruction_jobs JOB | --list | --build\n");
    return 1;
} catch (const std::exception& problem) {
    std::fprintf(stderr, "instruction_jobs: %s\n", problem.what());
    return 1;
}
