#include "stiefel/cli/report/kernel_table.hpp"

#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/terminal/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace stiefel::cli {

void add_kernel_table(LabelledLines& page, const std::vector<KernelTime>& kernels, double seconds,
                      std::optional<double> read_bandwidth, std::size_t label_width) {
    const std::string bandwidth =
        read_bandwidth ? fmt::format("of {} GB/s", format_rate(*read_bandwidth * 1e-9)) : "of bandwidth";
    std::size_t name_width = label_width + 3;
    for (const KernelTime& kernel : kernels) name_width = std::max(name_width, std::string_view(kernel.name).size());
    page.raw(styled(Style::faint, fmt::format("{:<{}}{:>8}{:>11}{:>8}{:>9}{:>10}{:>15}", "kernel", name_width, "calls",
                                              "time", "share", "GB/s", "GFLOP/s", bandwidth)) +
             '\n');
    for (const KernelTime& kernel : kernels) {
        const KernelRates rates = rates_of(kernel, read_bandwidth);
        const double share = seconds > 0 ? 100 * kernel.seconds / seconds : 0;
        page.raw(fmt::format("{:<{}}{:>8}{:>11}{:>6.0f} %", kernel.name, name_width, kernel.calls,
                             format_seconds(kernel.seconds), share));
        if (kernel.work.bytes > 0) {  // else nobody has counted it
            const std::string fraction =
                rates.fraction_of_bandwidth ? fmt::format("{:.2f}", *rates.fraction_of_bandwidth) : "in cache";
            page.raw(
                fmt::format("{:>9}{:>10}{:>15}", format_rate(rates.gbytes_per_s), format_rate(rates.gflops), fraction));
        }
        page.raw("\n");
    }
}

}  // namespace stiefel::cli
