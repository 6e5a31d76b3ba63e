#include "bench/suites/density_suite.hpp"
#include "bench/suites/gemm_suite.hpp"
#include "bench/suites/panel_suite.hpp"
#include "bench/suites/product_suite.hpp"
#include "bench/suites/solve_suite.hpp"
#include "bench/suites/spmv_suite.hpp"
#include "bench/suites/suite.hpp"
#include "bench/suites/transpose_suite.hpp"
#include "bench/suites/triangular_suite.hpp"

#include <fmt/format.h>

#include <array>

namespace stiefel::bench {

std::span<const Suite> suites() {
    static constexpr std::array list{
        Suite{"spmv",
              "how the formats and rungs of y = A x compare over thirty matrices",
              {},
              spmv_suite_cases,
              spmv_suite_table},
        Suite{"spmm",
              "how sparse times a panel of 3 to 64 columns scales, and how exact it is",
              {},
              spmm_suite_cases,
              spmm_suite_table},
        Suite{"transpose",
              "what each step of a dense transpose brings",
              {.most = 100, .least = 5, .seconds = 60},
              transpose_suite_cases,
              transpose_suite_table},
        Suite{"gemm",
              "what rungs, schedules, threads and tiles do to a dense product, by size",
              {},
              gemm_suite_cases,
              gemm_suite_table,
              gemm_suite_libraries},
        Suite{"panel",
              "what kernels of their own bring to the panels of block methods, by width",
              {},
              panel_suite_cases,
              panel_suite_table,
              panel_suite_libraries},
        Suite{"products",
              "what sparse times sparse takes, as multigrid's set-up has it",
              {},
              product_suite_cases,
              product_suite_table,
              product_suite_libraries},
        Suite{"triangular",
              "what each rung of the solves with a factor's triangles brings, by levels",
              {},
              triangular_suite_cases,
              triangular_suite_table,
              triangular_suite_libraries},
        Suite{"density",
              "how density and size move sparse and dense products, and where they meet",
              {},
              density_suite_cases,
              density_suite_table},
        Suite{"solve",
              "every solver with every preconditioner: iterations, set-up, time, history",
              {.most = 5, .least = 1, .seconds = 5},
              solve_suite_cases,
              solve_suite_table},
    };
    return list;
}

const Suite& find_suite(std::string_view name) {
    std::string names;
    for (const Suite& suite : suites()) {
        if (suite.name == name) return suite;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", suite.name);
    }
    throw InvalidArgument(fmt::format("there is no suite '{}'; there are: {}", name, names));
}

}  // namespace stiefel::bench
