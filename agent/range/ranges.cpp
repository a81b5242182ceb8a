#include "agent/range/ranges.hpp"

#include "agent/capture/window.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/pages.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/range/itt.hpp"
#include "agent/range/local.hpp"
#include "agent/range/names.hpp"
#include "agent/range/started.hpp"
#include "agent/stack/last_stack.hpp"
#include "agent/steps/steps.hpp"
#include "agent/thread/feature.hpp"
#include "agent/thread/threads.hpp"
#include "agent/trace/trace.hpp"
#include "agent/tree/context.hpp"

namespace prof::range {
namespace {

PROF_WIPED constinit pages::Wiped<StartedRanges> g_started{};

// All stacks of the thread hang on this node from now on. Ticks, which may come at any point here, look at the first.
void hang_on(ThreadState& t, std::uint32_t node) {
  t.root = node;
  if (LastStack* last = LastStack::of(t.scratch(log::RegionKind::Ordinary))) last->set_root(node);
}

bool recording(const Guard& guard) {
  if (!guard || !log::ensure_created()) return false;
  threads::settle(guard.thread());
  return true;
}

std::uint32_t root_of_started(const Guard& guard) {
  constexpr auto open_ranges = static_cast<std::uint64_t>(log::SpecialFrame::OpenRanges);
  return tree::child_of(guard, 0, log::frame_word(log::FrameKind::Special, open_ranges));
}

// The range `r` ended `now`: what of it lay in the window is booked.
void book(const Guard& guard, const Open& r, std::uint64_t now) {
  if (r.node == 0 || !capture::is_open(now)) return;
  const std::uint64_t began = capture::since(r.started_ns);
  const std::uint64_t ns = now > began ? now - began : 0;
  auto* words =
      reinterpret_cast<log::RangeWords*>(tree::record_of(guard, r.node, log::RecordClass::Range, log::kRangeWordCount));
  if (words != nullptr) {
    if (words->count == 0 || ns < words->min_ns) words->min_ns = ns;
    if (ns > words->max_ns) words->max_ns = ns;
    add(words->total_ns, ns);
    add(words->count, 1);
  }
  if (!trace::wanted()) return;
  log::TraceEvent event{};
  event.start_ns = began;
  event.end_ns = now;
  event.frame = r.frame;
  event.kind = static_cast<std::uint32_t>(log::TraceKind::Range);
  event.node = r.node;
  event.tid = guard.thread().tid;
  event.bytes = r.payload;
  trace::note(event);
}

std::uint32_t hash_of(std::string_view domain) {
  std::uint32_t h = 0;  // of no domain
  for (const char c : domain) h = (h ^ static_cast<unsigned char>(c)) * 0x9e3779b1U + 1;
  return h;
}

Open opened(const Guard& guard, std::uint32_t parent, std::string_view text, std::string_view domain,
            std::uint64_t payload) {
  // A range without a name (of a library whose strings nobody registered) says nothing of what stands below it. It is
  // kept as open alone, for its end.
  const bool named = !text.empty();
  const std::uint64_t frame = named ? frame_of(guard, text, domain) : 0;
  const std::uint32_t node = frame != 0 ? tree::child_of(guard, parent, frame) : 0;
  const bool captured = capture::names(text, domain);
  const std::uint64_t now = clock::monotonic();
  if (captured) capture::range_began(now);
  const steps::Mark mark =
      named ? steps::range_begins(guard, text, domain, frame, parent == 0, now) : steps::Mark::None;
  return {now, frame, payload, node, parent, hash_of(domain), captured, mark};
}

void closed(const Guard& guard, const Open& r) {
  const std::uint64_t now = clock::monotonic();
  book(guard, r, now);
  if (r.mark != steps::Mark::None) steps::range_ends(guard, r.mark, r.frame, now);
  if (r.captured) capture::range_ended(now);
}

// How many ranges of the domain are open.
std::uint32_t level_of(const Local& mine, std::uint32_t domain) {
  std::uint32_t level = 0;
  for (std::uint32_t i = 0; i < mine.depth; ++i) level += mine.open[i].domain == domain ? 1 : 0;
  return level;
}

bool has_room(Local& mine) {
  if (mine.open == nullptr)
    mine.open = static_cast<Open*>(pages::map(kMostDepth * sizeof(Open), pages::InChild::Zeroed));
  return mine.open != nullptr && mine.depth < kMostDepth;
}

}  // namespace

int push(std::string_view text, std::string_view domain, std::uint64_t payload) {
  const HookGuard guard;
  if (!recording(guard)) return -1;
  Local& mine = local(guard.thread());
  if (!has_room(mine)) {
    count_loss(log::Loss::RangeUnbalanced);
    return static_cast<int>(mine.depth + mine.too_deep++);
  }
  const Open range = opened(guard, guard.thread().root, text, domain, payload);
  const std::uint32_t level = level_of(mine, range.domain);
  mine.open[mine.depth++] = range;
  if (range.node != 0) hang_on(guard.thread(), range.node);  // else its stacks stay with the range around it
  return static_cast<int>(level);
}

int pop(std::string_view domain) {
  const HookGuard guard;
  if (!recording(guard)) return -1;
  Local& mine = local(guard.thread());
  if (mine.too_deep > 0) return static_cast<int>(mine.depth + --mine.too_deep);
  const std::uint32_t wanted = hash_of(domain);
  std::uint32_t i = mine.depth;
  while (i > 0 && mine.open[i - 1].domain != wanted) --i;
  if (i == 0) {
    count_loss(log::Loss::RangeUnbalanced);
    return -1;
  }
  const Open range = mine.open[--i];
  // Ranges of other domains that began within it go on, and their frames keep their place below its own.
  if (i + 1 == mine.depth)
    hang_on(guard.thread(), range.parent);
  else
    mine.open[i + 1].parent = range.parent;
  for (std::uint32_t k = i; k + 1 < mine.depth; ++k) mine.open[k] = mine.open[k + 1];
  --mine.depth;
  closed(guard, range);
  return static_cast<int>(level_of(mine, wanted));
}

std::uint64_t start(std::string_view text, std::string_view domain, std::uint64_t payload) {
  const HookGuard guard;
  if (!recording(guard)) return kNoStarted;
  const std::uint64_t id = g_started.value.put(opened(guard, root_of_started(guard), text, domain, payload));
  if (id == kNoStarted) count_loss(log::Loss::RangeUnbalanced);
  return id;
}

void end(std::uint64_t id) {
  const HookGuard guard;
  if (!recording(guard)) return;
  Open range{};
  if (g_started.value.take(id, range))
    closed(guard, range);
  else
    count_loss(log::Loss::RangeUnbalanced);
}

void mark(std::string_view text, std::string_view domain, std::uint64_t payload) {
  const HookGuard guard;
  if (!recording(guard)) return;
  const std::uint64_t now = clock::monotonic();
  if (!capture::is_open(now) || text.empty()) return;
  const std::uint64_t frame = frame_of(guard, text, domain);
  if (frame == 0) return;
  const std::uint32_t around = guard.thread().root;
  book(guard, {now, frame, payload, tree::child_of(guard, around, frame), around, 0, false, steps::Mark::None}, now);
}

std::uint32_t root_node() { return tls.state->root; }

void begin_thread(ThreadState& t) {
  local(t).depth = local(t).too_deep = 0;
  hang_on(t, 0);
}

// They have no end and are not booked, but must not hold a window open.
void end_thread(ThreadState& t) {
  for (std::uint32_t i = 0; i < local(t).depth; ++i) {
    if (local(t).open[i].captured) capture::range_ended(clock::monotonic());
  }
}

void prepare_ranges() {
  pages::wipe_in_child(g_started);
  prepare_itt();
}

extern constinit const Feature feature{
    .prepare = prepare_ranges, .offer = offer_to_libraries, .begin_thread = begin_thread, .end_thread = end_thread};

}  // namespace prof::range
