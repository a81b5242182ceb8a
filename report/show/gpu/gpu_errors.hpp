// The errors of CUDA and of the libraries above it, by name.
#pragma once

#include <cstdint>
#include <string>

namespace prof::show {

// `library` as in log::NameKind::Api: "CUDA runtime", "cuBLAS"... "error 12345" where the name is not known.
std::string error_name(const std::string& library, std::int64_t number);

}  // namespace prof::show
