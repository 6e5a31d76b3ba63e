#pragma once

#include "stiefel/cli/report/computation_report.hpp"
#include "stiefel/cli/report/figures/time_bar.hpp"
#include "stiefel/cli/report/table.hpp"
#include "stiefel/cli/run_info.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stiefel::cli {

/// How a computation ended, in words.
struct Verdict {
    bool is_good = false;
    std::string outcome = {};                 ///< one sentence
    std::vector<std::string> sentences = {};  ///< how far it came, and what that says of the result
    std::vector<std::string> advice = {};     ///< what to do
};

/// A report as one page of HTML: nothing that runs and nothing from elsewhere, light or dark as the reader's system is,
/// readable from a phone's width on and on paper. Texts are escaped here.
class HtmlPage {
public:
    using Facts = std::vector<std::pair<std::string, std::string>>;

    /// An SVG element of our own, and what stands below it.
    struct Figure {
        std::string svg;
        std::string caption;
    };

    /// command: "stiefel solve"; subject: the matrix.
    HtmlPage(std::string_view command, std::string_view subject, const Verdict& verdict);

    void heading(std::string_view text);
    void paragraph(std::string_view text);
    /// Names and what there is to say; on a narrow screen one under the other.
    void facts(const Facts& facts);
    /// Figures; where they are wider than the screen, or many, they scroll.
    void table(const Table& table);
    /// Times with bars for their share of `total`, and the total.
    void times(const std::vector<std::pair<const char*, double>>& parts, double total);
    /// Parts of a whole as one bar, with a table that says the same.
    void stacked_times(const std::vector<TimePart>& parts);
    /// Two beside each other, or one beside what is said of it; on a narrow screen one under the other.
    void figures(const std::vector<Figure>& figures);
    /// Which run of the program it was, where, with what, and the command line that repeats it.
    void run(const RunInfo& run, const ComputationReport::Backend& backend);
    /// The report for programs, for those who have but the page.
    void json(std::string_view json);

    /// The page up to here, with its end.
    std::string text() const;

private:
    std::string body_;
};

}  // namespace stiefel::cli
