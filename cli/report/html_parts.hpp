#pragma once

#include "stiefel/cli/report/computation_report.hpp"
#include "stiefel/cli/report/figures/residual_plot.hpp"
#include "stiefel/cli/report/html_page.hpp"

#include <string>
#include <vector>

namespace stiefel::cli {

// What the pages of several commands have in common.

/// What a page is of: the file's name without its folder.
std::string subject_of(const ComputationReport::Matrix& matrix);

/// Notes, and outputs that could not be written.
void add_remarks(HtmlPage::Facts& facts, const ComputationReport& report);

/// How it was computed with: format, kernel, backend, memory.
void add_computation(HtmlPage::Facts& facts, const ComputationReport& report, const ComputationReport::Method& method);

/// The residual over the iterations, and over the time where that is known; `note`: what there is to know of the curve.
void add_convergence(HtmlPage& page, const ResidualPlot& plot, const IterationMarks& marks, const std::string& note);

/// What the matrix is like: pattern, lengths of rows, symmetry, diagonal; what its file says where no more is known.
void add_matrix(HtmlPage& page, const ComputationReport& report);

/// Where the time went, and what the kernels achieved.
void add_costs(HtmlPage& page, const ComputationReport& report, const std::vector<KernelTime>& kernels);

/// |x - x*| / |x*| is at most so many times |b - A x| / |b|, as Gershgorin's circles bound the spectrum of a matrix of
/// strict diagonal dominance; 0 where they do not tell.
double gershgorin_condition(const ComputationReport& report);

}  // namespace stiefel::cli
