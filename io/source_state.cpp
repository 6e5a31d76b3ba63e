#include "stiefel/io/source_state.hpp"

#include "stiefel/core/openmp.hpp"
#include "stiefel/io/first_failure.hpp"
#include "stiefel/io/gzip.hpp"
#include "stiefel/io/input_file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <vector>

namespace stiefel {

namespace {

std::int64_t nanoseconds(const timespec& time) {
    return std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

}  // namespace

std::optional<SourceState> state_of(const std::string& path) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    return SourceState{.size = static_cast<std::uint64_t>(status.st_size),
                       .device = status.st_dev,
                       .inode = status.st_ino,
                       .mtime = nanoseconds(status.st_mtim),
                       .ctime = nanoseconds(status.st_ctim),
                       .asked = nanoseconds(now)};
}

std::uint32_t checksum_of(const std::string& path, int threads) {
    constexpr std::size_t piece = 1 << 18;
    const InputFile file(path);
    const std::size_t size = file.has_size() ? file.size() : 0;
    std::vector<std::uint32_t> sums((size + piece - 1) / piece);
    const auto n_pieces = static_cast<Size>(sums.size());
    FirstFailure failure;
#pragma omp parallel num_threads(OpenMP(threads).threads())
    {
        std::vector<char> buffer;
#pragma omp for schedule(dynamic, 4)
        for (Size k = 0; k < n_pieces; ++k) {
            failure.keep(k, [&] {
                const std::size_t begin = static_cast<std::size_t>(k) * piece;
                buffer.resize(std::min(piece, size - begin));
                file.read_at(begin, buffer);
                sums[static_cast<std::size_t>(k)] = crc32_of(buffer);
            });
        }
    }
    failure.rethrow();
    return crc32_of({reinterpret_cast<const char*>(sums.data()), sums.size() * sizeof(std::uint32_t)});
}

}  // namespace stiefel
