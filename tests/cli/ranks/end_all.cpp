// Ranks that fail while others wait for them: "all" of them, or "one", the last.
#include "stiefel/cli/ranks/end_all.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/error.hpp"

#include <string_view>

int main(int, char** argv) {
    using namespace stiefel;
    MpiRanks ranks;
    if (ranks.rank() != 0) cli::leave_speaking_to_others();
    double sum = 1;
    ranks.all_sum(&sum, 1);
    if (std::string_view(argv[1]) == "all" || ranks.rank() == ranks.size() - 1) {
        cli::end_all(ranks, OutOfMemory("the test", 1000, 10));
    }
    ranks.all_sum(&sum, 1);  // for ever, if it were not ended
    return 0;
}
