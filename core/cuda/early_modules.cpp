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

struct Registered {
    void (*kernel)();
    EarlyUse use;
};

std::vector<Registered>& modules() {
    static std::vector<Registered> all;
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

EarlyModule::EarlyModule(void (*kernel)(), EarlyUse use) {
    modules().push_back({kernel, use});
}

void load_early_modules(int device, const std::function<bool(EarlyUse)>& wanted) noexcept {
    constexpr unsigned most_threads = 4;
    try {
        if (cudaSetDevice(device) != cudaSuccess) return;
        std::vector<Registered> in_order = modules();
        std::stable_sort(in_order.begin(), in_order.end(), [](auto& a, auto& b) { return a.use < b.use; });
        const ModuleLoader loader;
        std::atomic<std::size_t> next = 0;
        const auto work = [&] {
            static_cast<void>(cudaSetDevice(device));
            for (std::size_t i; (i = next++) < in_order.size();) {
                if (wanted(in_order[i].use)) loader.load(in_order[i].kernel);
            }
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
