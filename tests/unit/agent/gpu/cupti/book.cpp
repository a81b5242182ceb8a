// From CUPTI's buffers to the tree: what a device did, and who asked for it.
#include "agent/gpu/cupti/book.hpp"
#include "agent/tree/names.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/cupti_buffers.hpp"

using namespace prof;
using namespace prof::test;

namespace {

std::uint64_t kernel_frame(const Guard& guard, const char* name, std::uint32_t device = 0) {
  return log::named_frame(log::name_id(guard, log::NameKind::Kernel, name), device);
}
const log::DeviceWords& words_of(const Guard& guard, std::uint32_t node, std::uint64_t frame) {
  return *reinterpret_cast<log::DeviceWords*>(
      tree::record_of(guard, tree::child_of(guard, node, frame), log::RecordClass::Device, log::kDeviceWordCount));
}
std::uint64_t lost(log::Loss loss) { return test::agent_log().loss[static_cast<std::size_t>(loss)]; }

}  // namespace

TEST_CASE("agent: kernels hang below the call that launched them, whatever CUPTI's version") {
  Fixture f;
  const char* names[] = {"of_11", "of_13", "of_later"};
  const Sizes* sizes[] = {&kCuda11, &kCuda13, &kLater};
  for (int i = 0; i < 3; ++i) {
    record_sizes = sizes[i];
    const std::uint32_t c = 100 + static_cast<std::uint32_t>(i) * 10;
    Record unknown{77};
    Buffer() << external(c, f.call) << api(Kind::Runtime, kLaunchKernel, c, f.t, f.t + 5) << unknown
             << kernel(names[i], c, f.t + 100, f.t + 350) << external(c + 1, f.call)
             << kernel(names[i], c + 1, f.t + 400, f.t + 500, 8);
    consume(f.guard, functions(), false);
    const log::DeviceWords& w = words_of(f.guard, f.call, kernel_frame(f.guard, names[i]));
    CHECK(w.count == 2);
    CHECK(w.total_ns == 350);
    CHECK(w.min_ns == 100);
    CHECK(w.max_ns == 250);
    CHECK(w.untimed == 0);
  }
}

// Catches an operator's node that is taken for the call's, or forgotten while work waits for its call.
TEST_CASE("agent: work stands once more below the operator that its call was made in") {
  Fixture f;
  static std::uint64_t number = 77'000;
  const std::uint32_t op = tree::child_of(f.guard, 0, log::frame_word(log::FrameKind::Special, ++number));
  ExternalRecord in_op = external(9911, f.call), late = external(9913, f.call);
  in_op.id |= std::uint64_t{op} << 32;
  late.id |= std::uint64_t{op} << 32;
  Buffer() << in_op << kernel("in_op", 9911, f.t, f.t + 100) << external(9912, f.call)
           << kernel("in_op", 9912, f.t + 200, f.t + 300) << kernel("in_op", 9913, f.t + 400, f.t + 440);
  consume(f.guard, functions(), false);
  Buffer() << late;
  consume(f.guard, functions(), false);
  const log::DeviceWords& below_call = words_of(f.guard, f.call, kernel_frame(f.guard, "in_op"));
  CHECK(below_call.count == 3);
  CHECK(below_call.total_ns == 240);
  const log::DeviceWords& below_op = words_of(f.guard, op, kernel_frame(f.guard, "in_op"));
  CHECK(below_op.count == 2);
  CHECK(below_op.total_ns == 140);
  CHECK(below_op.min_ns == 40);
}

TEST_CASE("agent: the same work stands by stream, and its times in a distribution") {
  Fixture f;
  Buffer() << external(201, f.call) << kernel("twice", 201, f.t, f.t + 1000, 3) << external(202, f.call)
           << kernel("twice", 202, f.t + 2000, f.t + 3000, 4);
  consume(f.guard, functions(), false);
  const auto special = [&](log::SpecialFrame s) {
    return tree::child_of(f.guard, 0, log::frame_word(log::FrameKind::Special, static_cast<std::uint64_t>(s)));
  };
  for (const char* stream : {"3", "4"}) {
    const std::uint32_t id = log::name_id(f.guard, log::NameKind::Stream, stream, "context 1");
    const std::uint32_t node = tree::child_of(f.guard, special(log::SpecialFrame::Streams), log::named_frame(id, 0));
    CHECK(words_of(f.guard, node, kernel_frame(f.guard, "twice")).total_ns == 1000);
  }
  const auto* spread = reinterpret_cast<log::SpreadWords*>(tree::record_of(
      f.guard, tree::child_of(f.guard, special(log::SpecialFrame::Spreads), kernel_frame(f.guard, "twice")),
      log::RecordClass::Spread, log::kSpreadWordCount));
  CHECK(spread->count[log::spread_class(1000)] == 2);
}

TEST_CASE("agent: work waits for the record of its call, and not for ever") {
  Fixture f;
  const std::uint64_t unlinked = lost(log::Loss::DeviceUnlinked);
  Buffer() << kernel("early", 301, f.t, f.t + 10) << kernel("orphan", 302, f.t + 20, f.t + 30)
           << kernel("seen_call", 303, f.t + 40, f.t + 50) << api(Kind::Runtime, kLaunchKernel, 303, f.t, f.t + 1);
  consume(f.guard, functions(), false);
  CHECK(words_of(f.guard, f.call, kernel_frame(f.guard, "early")).count == 0);
  Buffer() << external(301, f.call);
  consume(f.guard, functions(), false);
  CHECK(words_of(f.guard, f.call, kernel_frame(f.guard, "early")).count == 1);
  const std::uint32_t unseen = Book::unseen_node(f.guard);
  // Of the third CUPTI has told the call, and that it is none of ours.
  CHECK(words_of(f.guard, unseen, kernel_frame(f.guard, "seen_call")).count == 1);
  CHECK(words_of(f.guard, unseen, kernel_frame(f.guard, "orphan")).count == 0);
  for (int i = 0; i < 3; ++i) consume(f.guard, functions(), false);
  CHECK(words_of(f.guard, unseen, kernel_frame(f.guard, "orphan")).count == 1);
  CHECK(lost(log::Loss::DeviceUnlinked) == unlinked + 2);
}

TEST_CASE("agent: records without usable times are counted, and no more") {
  Fixture f;
  const std::uint64_t invalid = lost(log::Loss::DeviceInvalid);
  const std::uint64_t future = clock::monotonic() + 3'600'000'000'000;
  Buffer() << external(401, f.call) << external(402, f.call) << external(403, f.call) << external(404, f.call)
           << kernel("untimed", 401, 0, 0) << kernel("untimed", 402, f.t + 50, f.t + 20)
           << kernel("untimed", 403, f.t + 100, f.t + 130) << kernel("untimed", 404, future, future + 1);
  consume(f.guard, functions(), false);
  const log::DeviceWords& w = words_of(f.guard, f.call, kernel_frame(f.guard, "untimed"));
  CHECK(w.count == 4);
  CHECK(w.untimed == 3);
  CHECK(w.total_ns == 30);
  CHECK(w.min_ns == 30);
  CHECK(lost(log::Loss::DeviceInvalid) == invalid + 3);
}

TEST_CASE("agent: copies and sets say what they copied, from where") {
  Fixture f;
  MemcpyRecord copy{};
  copy.kind = static_cast<std::uint32_t>(Kind::Memcpy);
  copy.copy_kind = 1;
  copy.source_kind = 2;
  copy.target_kind = 3;
  copy.bytes = 4096;
  copy.start = f.t;
  copy.end = f.t + 40;
  copy.correlation = 501;
  PeerCopyRecord peer{};
  peer.kind = static_cast<std::uint32_t>(Kind::MemcpyPeer);
  peer.copy_kind = 10;
  peer.target_kind = 3;
  peer.bytes = 100;
  peer.start = f.t + 50;
  peer.end = f.t + 60;
  peer.correlation = 502;
  MemsetRecord set{};
  set.kind = static_cast<std::uint32_t>(Kind::Memset);
  set.memory_kind = 5;
  set.bytes = 7;
  set.start = f.t + 70;
  set.end = f.t + 71;
  set.correlation = 503;
  Buffer() << external(501, f.call) << external(502, f.call) << external(503, f.call) << copy << peer << set;
  consume(f.guard, functions(), false);
  const auto bytes = [&](const char* kind, const char* memory) {
    const std::uint32_t id = log::name_id(f.guard, log::NameKind::Copy, kind, memory);
    return words_of(f.guard, f.call, log::named_frame(id, 0)).bytes;
  };
  CHECK(bytes("HtoD", "pinned") == 4096);
  CHECK(bytes("PtoP", "device") == 100);
  CHECK(bytes("memset", "managed") == 7);
}
