// Another client of CUPTI gets what it asked for, and nothing else.
#include <vector>

#include "agent/gpu/cupti/client.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/cupti_buffers.hpp"

using namespace prof;
using namespace prof::test;

namespace {

struct Got {
  std::vector<std::vector<std::uint8_t>> buffers;
  std::vector<const Record*> records;  // in `buffers`
};
Got g_got;
std::size_t g_room = 4096;
alignas(8) std::uint8_t g_rooms[16][4096];
std::size_t g_next_room = 0;
long g_requested = 0, g_completed = 0;

void request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most) {
  *buffer = g_rooms[g_next_room++ % 16];
  *bytes = g_room;
  *most = 0;
  ++g_requested;
}

void complete(void*, std::uint32_t, std::uint8_t* buffer, std::size_t bytes, std::size_t valid) {
  ++g_completed;
  CHECK(bytes == g_room);
  REQUIRE(valid <= bytes);
  g_got.buffers.emplace_back(buffer, buffer + valid);
  const std::uint8_t* at = nullptr;
  while (next_record(buffer, valid, &at) == kSuccess) g_got.records.push_back(reinterpret_cast<const Record*>(at));
}

// CUPTI has filled `buffer`; the client then asks for what there is, or does not.
void serve(const std::vector<std::uint8_t>& buffer, bool asks = true) {
  g_got = {};
  auto copy = buffer;
  serve_client(functions(), nullptr, 0, copy.data(), copy.size());
  if (asks) client_flushed();
}

template <class R>
void append(std::vector<std::uint8_t>& buffer, const R& record) {
  const std::size_t at = buffer.size();
  buffer.resize(at + record_sizes->at(record.kind));
  std::memcpy(buffer.data() + at, &record, sizeof(R));
}

}  // namespace

TEST_CASE("agent: another client of CUPTI gets the records of its kinds, in its own clock, and no others") {
  record_sizes = &kCuda13;
  const std::uint64_t t = fresh_moment();
  std::vector<std::uint8_t> buffer;
  append(buffer, external(1, 17));
  ExternalRecord theirs = external(1, 99);
  theirs.external_kind = 3;
  append(buffer, theirs);
  append(buffer, api(Kind::Driver, kDriverLaunch, 1, t, t + 5));
  append(buffer, theirs);  // once more, for the call of the runtime
  append(buffer, api(Kind::Runtime, kLaunchKernel, 1, t, t + 10));
  append(buffer, kernel("k", 1, t + 20, t + 30));
  serve(buffer);
  CHECK(g_got.records.empty());  // nobody is there
  client_registers(request, complete);
  serve(buffer);
  CHECK(g_got.records.empty());  // it wants nothing yet
  client_enables(Kind::ConcurrentKernel);
  client_enables(Kind::Runtime);
  client_enables(Kind::ExternalCorrelation);
  serve(buffer);
  REQUIRE(g_got.records.size() == 3);
  CHECK(g_got.records[0]->kind == static_cast<std::uint32_t>(Kind::ExternalCorrelation));
  CHECK(reinterpret_cast<const ExternalRecord*>(g_got.records[0])->id == 99);
  CHECK(g_got.records[1]->kind == static_cast<std::uint32_t>(Kind::Runtime));
  // It has no clock of its own: CUPTI's is CLOCK_REALTIME.
  const auto& k = *reinterpret_cast<const KernelRecord*>(g_got.records[2]);
  const std::uint64_t ahead = clock::realtime() - clock::monotonic();
  CHECK(k.start - ahead + 1'000'000 > t + 20);
  CHECK(k.start - ahead < t + 20 + 1'000'000);
  CHECK(k.end - k.start == 10);

  client_has_clock(clock::monotonic);
  std::vector<std::uint8_t> recent;
  const std::uint64_t now = clock::monotonic();
  append(recent, kernel("k", 1, now, now + 10));
  serve(recent);
  REQUIRE(g_got.records.size() == 1);
  // As good as the comparison of the two clocks, between which a busy machine may take its time.
  const std::uint64_t by_its_clock = reinterpret_cast<const KernelRecord*>(g_got.records[0])->start;
  CHECK(by_its_clock + 1'000'000 > now);
  CHECK(by_its_clock < now + 1'000'000);
  serve(buffer);
  REQUIRE(g_got.records.size() == 3);

  // It is not bothered before it asks, or a buffer is full.
  serve(buffer, false);
  CHECK(g_got.buffers.empty());
  client_flushed();
  CHECK(g_got.buffers.size() == 1);
  CHECK(g_got.records.size() == 3);

  // What was recorded while it wanted it still comes, until it has asked for it.
  serve(buffer, false);
  for (const Kind kind : {Kind::ConcurrentKernel, Kind::Runtime, Kind::ExternalCorrelation}) client_disables(kind);
  serve(buffer);
  CHECK(g_got.records.size() == 6);
  CHECK(!client_active());
  CHECK(g_requested == g_completed);  // all its buffers are back
  serve(buffer);
  CHECK(g_got.records.empty());
  client_registers(nullptr, nullptr);
}

TEST_CASE("agent: another client of CUPTI has a buffer under way from its first kind on, and gets full ones at once") {
  record_sizes = &kCuda13;
  g_got = {};
  g_room = 216 + 24;  // for one kernel
  const long before = g_requested - g_completed;
  const auto under_way = [before] { return g_requested - g_completed - before; };
  client_registers(request, complete);
  client_begins();
  CHECK(under_way() == 0);
  client_enables(Kind::ConcurrentKernel);
  client_begins();
  client_begins();
  CHECK(under_way() == 1);
  client_flushed();  // nothing has come: it stays
  CHECK(under_way() == 1);
  CHECK(g_got.buffers.empty());
  std::vector<std::uint8_t> buffer;
  const std::uint64_t t = fresh_moment();
  for (std::uint32_t i = 1; i <= 3; ++i) append(buffer, kernel("k", i, t, t + 1));
  serve(buffer, false);
  CHECK(g_got.buffers.size() == 2);
  CHECK(under_way() == 1);
  client_flushed();
  CHECK(g_got.records.size() == 3);
  CHECK(under_way() == 1);

  // Other callbacks: it gets back what is under way by those that gave it.
  client_registers(nullptr, nullptr);
  CHECK(under_way() == 0);
  g_room = 4096;
}
