#include <algorithm>

#include "report/model/loss_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"

using namespace prof;

TEST_CASE("every loss and condition has a name of its own", "[model]") {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < log::kLossSlots; ++i) names.push_back(model::loss_name(i));
  const std::vector<std::string> conditions = model::condition_names(~0ULL);
  CHECK(conditions.size() == 64);
  names.insert(names.end(), conditions.begin(), conditions.end());
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  CHECK(model::condition_names(log::kDiskFull) == std::vector<std::string>{"disk_full"});
  CHECK(model::condition_sentences(0).empty());
  CHECK(model::loss_name(static_cast<std::size_t>(log::Loss::LateAllocation)) == "late_allocation");
}

// Catches "1 stacks go", and a text with one of its brackets forgotten.
TEST_CASE("words of a loss follow its count", "[model]") {
  const auto guessed = static_cast<std::size_t>(log::Loss::StackGuessed);
  CHECK(model::loss_text(guessed, 1).starts_with("stack in code without"));
  CHECK(model::loss_text(guessed, 2).starts_with("stacks in code without"));
  for (std::size_t i = 0; i <= log::kLossSlots; ++i) {
    INFO(model::loss_text(i, 2));
    CHECK(model::loss_text(i, 1) != model::loss_text(i, 2));
    for (const std::uint64_t count : {1, 2})
      CHECK(model::loss_text(i, count).find_first_of("[]|") == std::string::npos);
  }
}

TEST_CASE("every loss and condition of the format has words", "[model]") {
  for (std::size_t i = 0; i < static_cast<std::size_t>(log::Loss::Count); ++i) {
    CHECK_FALSE(model::loss_name(i).starts_with("reason_"));
  }
  CHECK(model::loss_name(log::kLossSlots) == "reason_48");
  CHECK_FALSE(model::loss_text(log::kLossSlots, 2).empty());
  CHECK(model::condition_sentences(log::kOwnOperatorNew).front() !=
        model::condition_names(log::kOwnOperatorNew).front());
}
