#pragma once

#include "stiefel/cli/report/table.hpp"
#include "stiefel/cli/run_info.hpp"
#include "stiefel/core/kernel_clock.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stiefel::cli {

/// A report as one page of HTML: no scripts, nothing from elsewhere, light or dark as the reader's system is, readable
/// from a phone's width on. Texts are escaped here.
class HtmlPage {
public:
    using Facts = std::vector<std::pair<std::string, std::string>>;

    /// command: "stiefel solve"; subject: the matrix; outcome: one sentence, good or bad.
    HtmlPage(std::string_view command, std::string_view subject, std::string_view outcome, bool is_good);

    void heading(std::string_view text);
    void paragraph(std::string_view text);
    /// Names and what there is to say; on a narrow screen one under the other.
    void facts(const Facts& facts);
    /// Figures; where they are wider than the screen, or many, they scroll.
    void table(const Table& table);
    /// Times with bars for their share of `total`, and the total.
    void times(const std::vector<std::pair<const char*, double>>& parts, double total);
    /// An SVG element of our own.
    void drawing(std::string_view svg);
    /// Which run of the program it was, and with what.
    void run(const RunInfo& run, std::string_view device, std::string_view device_software);

    /// The page up to here, with its end.
    std::string text() const;

private:
    std::string body_;
};

/// The kernels' calls, times and rates; nothing where none ran.
void add_kernels(HtmlPage& page, const std::vector<KernelTime>& kernels, double seconds,
                 std::optional<double> read_bandwidth);

}  // namespace stiefel::cli
