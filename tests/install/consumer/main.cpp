#include "solving.hpp"

#include <iostream>

int main() {
    const long iterations = iterations_of_a_solve();
    if (iterations < 0) return 1;
    std::cout << "converged in " << iterations << " iterations\n";
}
