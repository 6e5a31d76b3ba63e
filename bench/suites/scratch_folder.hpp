#pragma once

#include <string>

namespace stiefel::bench {

/// An empty folder among the system's temporary ones, removed with all that is in it at the end.
class ScratchFolder {
public:
    /// Throws FileError where none can be made.
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace stiefel::bench
