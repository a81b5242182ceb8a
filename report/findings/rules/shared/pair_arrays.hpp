// Statements of Python that broadcast arrays against each other and reduce what that gives, by the source.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/findings/source_words.hpp"

namespace prof::findings {

// How many arrays of a statement get an axis more, so that they meet others in all pairs, where the result is reduced
// in the same statement; 0: none, or it is not.
std::size_t reduced_axes(std::string_view statement);

inline constexpr const char* kPairArraysAdvice =
    "Go through one of the arrays in parts of some thousand rows; distances by scipy.spatial.distance.cdist or "
    "torch.cdist, or as |a|^2 - 2ab + |b|^2 with a product of matrices, which make no array of all differences.";

}  // namespace prof::findings
