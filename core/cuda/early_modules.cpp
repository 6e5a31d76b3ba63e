#include "stiefel/core/cuda/early_modules.hpp"

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace stiefel {

namespace {

std::vector<void (*)()>& kernels() {
    static std::vector<void (*)()> all;
    return all;
}

/// A function of the driver, which we do not link; null where the driver is older than it.
template <class Function>
Function* driver_function(const char* name) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
    constexpr unsigned since = 12040;
    const cudaError_t status = cudaGetDriverEntryPointByVersion(name, &found, since, cudaEnableDefault, &result);
#else
    const cudaError_t status = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result);
#endif
    const bool is_there = status == cudaSuccess && result == cudaDriverEntryPointSuccess;
    return is_there ? reinterpret_cast<Function*>(found) : nullptr;
}

/// Loads what a module holds.
class ModuleLoader {
public:
    void load(void (*kernel)()) const {
        cudaFunction_t function = nullptr;
        if (cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(kernel)) != cudaSuccess) return;
        CUmodule module = nullptr;
        unsigned count = 0;
        if (!is_complete() || module_of_(&module, function) != CUDA_SUCCESS) return;
        if (count_(&count, module) != CUDA_SUCCESS) return;
        std::vector<CUfunction> functions(count);
        if (list_(functions.data(), count, module) != CUDA_SUCCESS) return;
        for (CUfunction each : functions) static_cast<void>(load_(each));
    }

private:
    bool is_complete() const { return module_of_ && count_ && list_ && load_; }

    decltype(&cuFuncGetModule) module_of_ = driver_function<decltype(cuFuncGetModule)>("cuFuncGetModule");
    decltype(&cuModuleGetFunctionCount) count_ =
        driver_function<decltype(cuModuleGetFunctionCount)>("cuModuleGetFunctionCount");
    decltype(&cuModuleEnumerateFunctions) list_ =
        driver_function<decltype(cuModuleEnumerateFunctions)>("cuModuleEnumerateFunctions");
    decltype(&cuFuncLoad) load_ = driver_function<decltype(cuFuncLoad)>("cuFuncLoad");
};

}  // namespace

EarlyModule::EarlyModule(void (*kernel)()) {
    kernels().push_back(kernel);
}

void load_early_modules(int device, const std::function<bool()>& wanted) noexcept {
    constexpr unsigned most_threads = 4;
    try {
        if (cudaSetDevice(device) != cudaSuccess || !wanted()) return;
        const ModuleLoader loader;
        std::atomic<std::size_t> next = 0;
        const auto work = [&] {
            static_cast<void>(cudaSetDevice(device));
            for (std::size_t i; (i = next++) < kernels().size();) loader.load(kernels()[i]);
            static_cast<void>(cudaGetLastError());
        };
        std::vector<std::jthread> others;
        const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, most_threads);
        for (unsigned t = 1; t < threads; ++t) others.emplace_back(work);
        work();
    } catch (const std::exception&) {  // no memory or no thread to be had: kernels are loaded later
    }
}

}  // namespace stiefel
