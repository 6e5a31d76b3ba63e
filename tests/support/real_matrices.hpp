#pragma once

#include "real_matrices_folder.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace stiefel {

/// The folder of real matrices beside the project, which the build has written into a file.
inline std::filesystem::path real_matrices_folder() {
    return STIEFEL_REAL_MATRICES;
}

inline std::string real_matrix_path(const std::string& name) {
    return (real_matrices_folder() / (name + ".mtx.gz")).string();
}

/// Names of the matrices that index.csv lists as symmetric positive definite; empty where the folder is missing.
inline std::vector<std::string> real_spd_matrices() {
    std::vector<std::string> names;
    std::ifstream index(real_matrices_folder() / "index.csv");
    for (std::string line; std::getline(index, line);) {
        // name,n_rows,stored_entries,kind,spd,...
        std::vector<std::string> fields(1);
        for (char c : line) {
            if (c == ',') {
                fields.emplace_back();
            } else {
                fields.back() += c;
            }
        }
        if (fields.size() > 4 && fields[4] == "yes") names.push_back(fields[0]);
    }
    return names;
}

}  // namespace stiefel
