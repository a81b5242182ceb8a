// Losses and conditions by name and in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/contract/format.hpp"
#include "report/model/process.hpp"

namespace prof::model {

// The name is for machines ("sample_in_agent"); the words are for people and follow the count ("17 CPU samples came
// ...", "1 CPU sample came ..."). Of any index below log::kLossSlots; those that a newer agent may use are "reason_17".
std::string loss_name(std::size_t reason);
std::string loss_text(std::size_t reason, std::uint64_t count);

// One sentence for each bit that is set, in the order of the bits.
std::vector<std::string> condition_sentences(std::uint64_t conditions);
// The same for machines: "no_unwinder".
std::vector<std::string> condition_names(std::uint64_t conditions);

// CPU samples that were lost for whatever reason / stacks that miss their outermost frames / what did not fit.
std::uint64_t samples_dropped(const LossCounters& loss);
std::uint64_t stacks_truncated(const LossCounters& loss);
std::uint64_t records_lost(const LossCounters& loss);

}  // namespace prof::model
