#include "agent/gpu/cupti/book.hpp"

#include "agent/core/counter.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/text.hpp"
#include "agent/log/conditions.hpp"
#include "agent/tree/context.hpp"
#include "agent/tree/names.hpp"

namespace prof::gpu::cupti {
namespace {

std::uint32_t special_node(const Guard& guard, log::SpecialFrame frame) {
  return tree::child_of(guard, 0, log::frame_word(log::FrameKind::Special, static_cast<std::uint64_t>(frame)));
}

log::DeviceWords* device_words(const Guard& guard, std::uint32_t node) {
  return reinterpret_cast<log::DeviceWords*>(
      tree::record_of(guard, node, log::RecordClass::Device, log::kDeviceWordCount));
}

void count(log::DeviceWords& words, const Work& work) {
  add(words.bytes, work.bytes);
  if (work.timed()) {
    const std::uint64_t ns = work.end - work.start;
    // A reader takes min_ns for what it is once a timed one is counted.
    if (words.count == words.untimed || ns < words.min_ns) words.min_ns = ns;
    if (ns > words.max_ns) words.max_ns = ns;
    add(words.total_ns, ns);
  } else {
    add(words.untimed, 1);
  }
  add(words.count, 1);
}

std::uint32_t hash_of(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint32_t>((a * 0x9e3779b97f4a7c15ULL ^ b * 0xd6e8feb86659fd93ULL) >> 32);
}

}  // namespace

bool Book::begin() {
  if (contexts_ == nullptr)
    contexts_ = static_cast<Context*>(pages::map(kContexts * sizeof(Context), pages::InChild::Gone));
  if (streams_ == nullptr) streams_ = static_cast<Stream*>(pages::map(kStreams * sizeof(Stream), pages::InChild::Gone));
  return contexts_ != nullptr && streams_ != nullptr;
}

std::uint32_t Book::unseen_node(const Guard& guard) { return special_node(guard, log::SpecialFrame::UnseenLaunch); }

log::DeviceWords* Book::context_words(const Guard& guard, const Work& work, std::uint32_t node) {
  Context* seen = contexts_ != nullptr ? &contexts_[hash_of(work.frame, node) % kContexts] : nullptr;
  if (seen != nullptr && seen->words != nullptr && seen->frame == work.frame && seen->node == node) return seen->words;
  const std::uint32_t call = node != 0 ? node : unseen_node(guard);
  const std::uint32_t child = tree::child_of(guard, call, work.frame);
  if (child == 0) count_loss(log::Loss::TreeFull);
  log::DeviceWords* words = device_words(guard, child != 0 ? child : call);
  if (seen != nullptr && child != 0) *seen = {work.frame, node, words};
  return words;
}

Book::Stream Book::make_stream(const Guard& guard, const Work& work) {
  Text<32> name, group;
  name << work.stream;
  group << "context " << work.context;
  const std::uint32_t id = log::name_id(guard, log::NameKind::Stream, name.view(), group.view());
  const std::uint32_t stream =
      tree::child_of(guard, special_node(guard, log::SpecialFrame::Streams), log::named_frame(id, work.device));
  const std::uint32_t node = tree::child_of(guard, stream, work.frame);
  const std::uint32_t spread = tree::child_of(guard, special_node(guard, log::SpecialFrame::Spreads), work.frame);
  Stream made{work.frame, work.context, work.stream, nullptr, nullptr};
  if (node == 0 || spread == 0) {
    count_loss(log::Loss::TreeFull);
    return made;
  }
  made.words = device_words(guard, node);
  made.spread = reinterpret_cast<log::SpreadWords*>(
      tree::record_of(guard, spread, log::RecordClass::Spread, log::kSpreadWordCount));
  return made;
}

Book::Stream Book::find_stream(const Guard& guard, const Work& work) {
  if (streams_ == nullptr) return make_stream(guard, work);
  Stream& seen = streams_[hash_of(work.frame, std::uint64_t{work.context} << 32 | work.stream) % kStreams];
  if (seen.words == nullptr || seen.frame != work.frame || seen.context != work.context || seen.stream != work.stream)
    seen = make_stream(guard, work);
  return seen;
}

void Book::add(const Guard& guard, const Work& work, std::uint32_t node, std::uint32_t op) {
  if (log::DeviceWords* words = context_words(guard, work, node)) count(*words, work);
  if (op != 0) {
    if (log::DeviceWords* words = context_words(guard, work, op)) count(*words, work);
  }
  const Stream stream = find_stream(guard, work);
  if (stream.words != nullptr) count(*stream.words, work);
  if (stream.spread != nullptr && work.timed())
    prof::add(stream.spread->count[log::spread_class(work.end - work.start)], 1);
}

}  // namespace prof::gpu::cupti
