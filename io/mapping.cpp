#include "stiefel/io/mapping.hpp"

#include "stiefel/core/error.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace stiefel {

Mapping Mapping::file(int descriptor, std::size_t size) {
    void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
    if (data == MAP_FAILED) return {};
    return {static_cast<char*>(data), size};
}

Mapping Mapping::zeros(std::size_t size) {
    if (size == 0) return {};
    void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) throw OutOfMemory("the text of the input", static_cast<std::int64_t>(size), -1);
    madvise(data, size, MADV_HUGEPAGE);
    return {static_cast<char*>(data), size};
}

void Mapping::resize(std::size_t size) {
    if (size == 0 || size_ == 0) {
        *this = size == 0 ? Mapping() : zeros(size);
        return;
    }
    void* data = mremap(data_, size_, size, MREMAP_MAYMOVE);
    if (data == MAP_FAILED) throw OutOfMemory("the text of the input", static_cast<std::int64_t>(size), -1);
    data_ = static_cast<char*>(data);
    size_ = size;
}

Mapping::~Mapping() {
    if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace stiefel
