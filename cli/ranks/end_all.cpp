#include "stiefel/cli/ranks/end_all.hpp"

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/ranks/together.hpp"
#include "stiefel/cli/terminal/terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace stiefel::cli {

namespace {

void tell(int rank, ExitCode code, const std::exception& problem) {
    try {
        print_message(of_rank(rank, code, message_of(problem)));
    } catch (const std::exception&) {  // not even the memory to say it
        char text[64];
        const int length = std::snprintf(text, sizeof text, "stiefel: rank %d: out of memory\n", rank);
        static_cast<void>(!write(STDERR_FILENO, text, static_cast<std::size_t>(std::max(length, 0))));
    }
}

}  // namespace

void end_all(MpiRanks& ranks, const std::exception& problem) noexcept {
    const ExitCode code = exit_code_of(problem);
    if (!ranks.is_first_to_fail()) {
        for (;;) pause();  // until the other one ends this process too
    }
    speak_again();
    tell(ranks.rank(), code, problem);
    ranks.abort(static_cast<int>(code));
}

}  // namespace stiefel::cli
