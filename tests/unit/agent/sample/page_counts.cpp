// Whether a range may touch one of many: never missed, and not said of what lies a page away.
#include <memory>

#include "agent/sample/page_counts.hpp"
#include "tests/support/catch.hpp"

using prof::PageCounts;

namespace {

constexpr std::uintptr_t kPage = 4096, kAt = 0x7f0012345000;

}  // namespace

TEST_CASE("agent: ranges are found by the pages that they lie on, until they are removed") {
  const auto counts = std::make_unique<PageCounts>();
  counts->add(kAt + 100, kAt + 8292);  // on three pages
  counts->add(kAt + 8292, kAt + 8300);
  CHECK(counts->may_touch(kAt, kAt + 1));
  CHECK(counts->may_touch(kAt + 2 * kPage, kAt + 3 * kPage));
  CHECK(counts->may_touch(kAt - 10 * kPage, kAt + 1));
  CHECK_FALSE(counts->may_touch(kAt - 10 * kPage, kAt));
  CHECK_FALSE(counts->may_touch(kAt + 3 * kPage, kAt + 9 * kPage));
  CHECK_FALSE(counts->may_touch(kAt, kAt));
  counts->remove(kAt + 100, kAt + 8292);
  CHECK_FALSE(counts->may_touch(kAt, kAt + 2 * kPage));
  CHECK(counts->may_touch(kAt, kAt + 3 * kPage));
  counts->remove(kAt + 8292, kAt + 8300);
  CHECK_FALSE(counts->may_touch(kAt, kAt + 3 * kPage));
}

TEST_CASE("agent: ranges of many pages are found everywhere, and large ones may touch anything") {
  const auto counts = std::make_unique<PageCounts>();
  counts->add(kAt, kAt + kPage);
  CHECK(counts->may_touch(0, UINTPTR_MAX));
  counts->add(kAt, kAt + (std::uintptr_t{1} << 33));
  CHECK(counts->may_touch(kPage, 2 * kPage));
  counts->remove(kAt, kAt + (std::uintptr_t{1} << 33));
  CHECK_FALSE(counts->may_touch(kPage, 2 * kPage));
  CHECK(counts->may_touch(kAt, kAt + 1));
}
