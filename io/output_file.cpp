#include "stiefel/io/output_file.hpp"

#include "stiefel/core/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <utility>

namespace stiefel {

namespace {

/// Where the name leads when all links are followed; the name itself if it leads nowhere yet.
std::string follow_links(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> resolved(realpath(path.c_str(), nullptr), &std::free);
    return resolved ? std::string(resolved.get()) : path;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path == "-" ? "<stdout>" : path) {
    if (path == "-") {
        descriptor_ = STDOUT_FILENO;
        return;
    }
    target_ = follow_links(path);
    struct stat status {};
    const bool exists = stat(target_.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        throw FileError(path_, "is a directory; expected the name of a file to write");
    if (exists && !S_ISREG(status.st_mode)) {
        descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor_ < 0) fail("cannot be opened");
        return;
    }
    if (exists && access(target_.c_str(), W_OK) != 0) fail("cannot be replaced");
    open_beside();
    if (exists) fchmod(descriptor_, status.st_mode & 07777);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

/// Makes NAME.tmp.XXXXXX in the target's folder, so that renaming it never crosses file systems. (mkstemp would keep
/// everybody else from reading the file, against the umask.)
void OutputFile::open_beside() {
    std::random_device random;
    for (int attempt = 0; attempt < 100 && descriptor_ < 0; ++attempt) {
        const std::string name = fmt::format("{}.tmp.{:06x}", target_, random() & 0xffffff);
        descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor_ >= 0)
            temporary_ = name;
        else if (errno != EEXIST)
            break;
    }
    if (descriptor_ < 0) fail("cannot be created");
}

void OutputFile::write(std::string_view text) {
    require(descriptor_ >= 0, "OutputFile::write: the file was committed");
    while (!text.empty()) {
        const ssize_t n = ::write(descriptor_, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail("cannot be written");
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

void OutputFile::commit() {
    require(descriptor_ >= 0, "OutputFile::commit: the file was committed");
    const int descriptor = std::exchange(descriptor_, -1);
    // Some file systems say only now that the disk was full.
    if (descriptor != STDOUT_FILENO && ::close(descriptor) != 0) fail("cannot be written");
    if (temporary_.empty()) return;
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot be put in place");
    temporary_.clear();
}

void OutputFile::fail(std::string_view action) {
    throw FileError(path_, fmt::format("{}: {}", action, std::strerror(errno)));
}

void write_file(const std::string& path, std::string_view text) {
    OutputFile file(path);
    file.write(text);
    file.commit();
}

}  // namespace stiefel
