#include "module/module.hpp"

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/version.hpp"
#include "stiefel/core/cuda.hpp"
#include "stiefel/core/error.hpp"

#include <nanobind/nanobind.h>

#include <new>

namespace stiefel::python {

namespace {

/// What a caller did wrong is a ValueError, what the machine lacks a RuntimeError or a MemoryError.
void translate(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const OutOfMemory& error) {
        PyErr_SetString(PyExc_MemoryError, error.what());
    } catch (const FileError& error) {
        PyErr_SetString(PyExc_OSError, error.what());
    } catch (const DeviceError& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    } catch (const OutOfThreads& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    } catch (const Error& error) {
        PyErr_SetString(PyExc_ValueError, error.what());
    }
}

}  // namespace

}  // namespace stiefel::python

NB_MODULE(_core, module) {
    using namespace stiefel;
    // What an exception still holds when the interpreter ends is no leak.
    nanobind::set_leak_warnings(false);
    nanobind::register_exception_translator(python::translate);
    module.attr("version") = cli::version;
    module.attr("compiler") = cli::compiler;
#ifdef STIEFEL_HAS_CUDA
    module.attr("has_cuda") = true;
    module.def("n_devices", [] { return n_cuda_devices(); });
#else
    module.attr("has_cuda") = false;
    module.def("n_devices", [] { return 0; });
#endif
    python::add_matrices(module);
    python::add_solvers(module);
    python::add_solve(module);
    python::add_files(module);
    python::add_tensors(module);
}
