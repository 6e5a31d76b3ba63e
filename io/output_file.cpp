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
#include <filesystem>
#include <memory>
#include <random>
#include <system_error>
#include <utility>

namespace stiefel {

namespace {

/// Where a name that stands for no file yet leads when all links are followed.
std::string follow_dangling_links(const std::string& path) {
    namespace fs = std::filesystem;
    fs::path target = path;
    for (std::error_code error; fs::is_symlink(fs::symlink_status(target, error));) {
        target = target.parent_path() / fs::read_symlink(target, error);
    }
    return target;
}

/// The file's own name, without links.
std::string resolved(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> name(realpath(path.c_str(), nullptr), &std::free);
    return name ? std::string(name.get()) : path;
}

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// By this name an open file can be linked to.
std::string name_of(int descriptor) {
    return fmt::format("/proc/self/fd/{}", descriptor);
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path == "-" ? "<stdout>" : path) {
    if (path == "-") {
        descriptor_ = STDOUT_FILENO;
        return;
    }
    struct stat status {};
    const bool exists = stat(path.c_str(), &status) == 0;
    // An empty name, or links that lead in a circle, will not be any better when the output is complete.
    if (!exists && (errno != ENOENT || path.empty())) fail("cannot be created");
    if (exists && S_ISDIR(status.st_mode))
        throw FileError(path_, "is a directory; expected the name of a file to write");
    if (exists && !S_ISREG(status.st_mode)) {
        descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor_ < 0) fail("cannot be opened");
        return;
    }
    if (exists && access(path.c_str(), W_OK) != 0) fail("cannot be replaced");
    target_ = exists ? resolved(path) : follow_dangling_links(path);
    open_nameless();
    if (descriptor_ < 0) open_named();
    if (exists) fchmod(descriptor_, status.st_mode & 07777);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      nameless_(other.nameless_),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

/// Opens a file without a name where the file system has such, and /proc to name it by.
void OutputFile::open_nameless() {
    descriptor_ = ::open(folder_of(target_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor_ < 0) return;
    nameless_ = access(name_of(descriptor_).c_str(), F_OK) == 0;
    if (!nameless_) ::close(std::exchange(descriptor_, -1));
}

/// (mkstemp would keep everybody else from reading the file, against the umask.)
void OutputFile::open_named() {
    take_free_name([&](const char* name) {
        descriptor_ = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        return descriptor_ >= 0;
    });
    if (temporary_.empty()) fail("cannot be created");
}

/// Tries make(NAME.tmp.XXXXXX), in the target's folder so that renaming never crosses file systems, until it has made
/// a file; temporary_ stays empty where it fails for another reason than that the name is taken.
template <class F>
void OutputFile::take_free_name(F&& make) {
    std::random_device random;
    for (int attempt = 0; attempt < 100; ++attempt) {
        const std::string name = fmt::format("{}.tmp.{:06x}", target_, random() & 0xffffff);
        if (make(name.c_str())) temporary_ = name;
        if (!temporary_.empty() || errno != EEXIST) return;
    }
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
    if (nameless_) {  // a link cannot take the place of a file that is there: renaming does
        take_free_name([&](const char* name) {
            return linkat(AT_FDCWD, name_of(descriptor_).c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
        });
        if (temporary_.empty()) fail("cannot be put in place");
    }
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
