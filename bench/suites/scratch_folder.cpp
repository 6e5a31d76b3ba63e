#include "bench/suites/scratch_folder.hpp"

#include "stiefel/core/error.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace stiefel::bench {

ScratchFolder::ScratchFolder() : path_((std::filesystem::temp_directory_path() / "stiefel-suite-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw FileError(path_, "a temporary folder cannot be made");
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace stiefel::bench
