#pragma once

#include <dlfcn.h>

#include <initializer_list>

namespace stiefel::bench {

/// The first of these shared libraries that there is; null if none.
inline void* open_first(std::initializer_list<const char*> files) {
    for (const char* file : files) {
        if (void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL)) return library;
    }
    return nullptr;
}

}  // namespace stiefel::bench
