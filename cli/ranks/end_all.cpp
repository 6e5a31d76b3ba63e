#include "stiefel/cli/ranks/end_all.hpp"

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/ranks/together.hpp"
#include "stiefel/cli/terminal/terminal.hpp"

#include <unistd.h>

namespace stiefel::cli {

void end_all(MpiRanks& ranks, const std::exception& problem) {
    const ExitCode code = exit_code_of(problem);
    if (!ranks.is_first_to_fail()) {
        for (;;) pause();  // until the other one ends this process too
    }
    speak_again();
    print_message(of_rank(ranks.rank(), code, message_of(problem)));
    ranks.abort(static_cast<int>(code));
}

}  // namespace stiefel::cli
