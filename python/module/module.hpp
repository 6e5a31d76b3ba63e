#pragma once

#include <nanobind/nanobind.h>

namespace stiefel::python {

// One function a file: each adds to the module.
void add_matrices(nanobind::module_& module);
void add_solvers(nanobind::module_& module);
void add_solve(nanobind::module_& module);
void add_files(nanobind::module_& module);
void add_tensors(nanobind::module_& module);

}  // namespace stiefel::python
