#include "stiefel/core/openmp.hpp"

#include "stiefel/core/processors.hpp"

#include <omp.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace stiefel {

namespace {

int default_threads() {
    const char* const asked = std::getenv("OMP_NUM_THREADS");
    if (asked != nullptr && *asked != '\0') return omp_get_max_threads();
    static const double quota = cpu_quota();
    return threads_under_quota(omp_get_max_threads(), quota);
}

/// How many of n threads can run beside the calling one at a time; all end before it returns.
int startable_threads(int n) {
    std::mutex mutex;
    std::condition_variable all_started;
    bool done = false;
    std::vector<std::thread> threads;
    try {
        threads.reserve(static_cast<std::size_t>(n));
        while (static_cast<int>(threads.size()) < n) {
            threads.emplace_back([&] {
                std::unique_lock lock(mutex);
                all_started.wait(lock, [&] { return done; });
            });
        }
    } catch (const std::system_error&) {  // no more: a limit of memory, of processes, of the container
    } catch (const std::bad_alloc&) {
    }
    {
        const std::lock_guard lock(mutex);
        done = true;
    }
    all_started.notify_all();
    for (std::thread& thread : threads) thread.join();
    return static_cast<int>(threads.size());
}

/// Lets OpenMP start its threads now. It ends the program where one cannot be had, so they are tried before.
void start_team(int threads) {
    static std::mutex mutex;
    static int started = 1;
    const std::lock_guard lock(mutex);
    if (threads <= started) return;
    const int startable = startable_threads(threads - 1) + 1;
    if (startable < threads) throw OutOfThreads(threads, startable);
#pragma omp parallel num_threads(threads)
    {}
    started = threads;
}

}  // namespace

OpenMP::OpenMP(int threads) : threads_(threads > 0 ? threads : default_threads()) {
    require(threads >= 0, "OpenMP: the number of threads must not be negative");
    start_team(threads_);
}

}  // namespace stiefel
