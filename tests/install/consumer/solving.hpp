#pragma once

/// How many iterations a system takes that is written to a file and read from it; negative if it fails.
long iterations_of_a_solve();
