#include "report/formats/perfetto/tracks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/formats/perfetto/fields.hpp"
#include "report/show/processes.hpp"
#include "report/show/text.hpp"

namespace prof::formats::perfetto {
namespace {

ProtoMessage described(const ProtoMessage& track) {
  ProtoMessage out;
  out.message(packet::kTrackDescriptor, track);
  return out;
}

}  // namespace

Tracks::Tracks(Sequence& sequence, const show::Subject& subject, const model::Process& process, std::size_t order)
    : sequence_(sequence), subject_(subject), process_(process), first_((std::uint64_t{order} + 1) << 32) {
  ProtoMessage own, track;
  own.integer(process::kPid, std::uint64_t{process.pid});
  for (const std::string& argument : process.argv) own.text(process::kArgument, show::printable(argument));
  own.text(process::kName, show::printable(show::command_label(process, false)));
  track.integer(track::kUuid, first_);
  track.message(track::kProcess, own);
  sequence_.write(described(track));
}

std::uint64_t Tracks::thread(std::uint32_t tid) {
  const auto [found, is_new] = threads_.try_emplace(tid, 0);
  if (!is_new) return found->second;
  found->second = next();
  ProtoMessage own, track;
  own.integer(thread::kPid, std::uint64_t{process_.pid});
  own.integer(thread::kTid, std::uint64_t{tid});
  const auto known = std::find_if(process_.threads.begin(), process_.threads.end(),
                                  [&](const model::Thread& thread) { return thread.tid == tid; });
  if (known != process_.threads.end()) own.text(thread::kName, show::printable(known->display_name()));
  track.integer(track::kUuid, found->second);
  track.integer(track::kParent, first_);
  track.message(track::kThread, own);
  sequence_.write(described(track));
  return found->second;
}

std::uint64_t Tracks::child(const std::string& name, std::uint64_t parent) {
  const std::uint64_t uuid = next();
  ProtoMessage track;
  track.integer(track::kUuid, uuid);
  track.text(track::kName, name);
  track.integer(track::kParent, parent);
  sequence_.write(described(track));
  return uuid;
}

std::uint64_t Tracks::stream(std::uint32_t device, std::uint32_t stream) {
  const auto [found, is_new] = streams_.try_emplace({device, stream}, 0);
  if (!is_new) return found->second;
  const auto [of, first] = devices_.try_emplace(device, 0);
  if (first) of->second = child(fmt::format("GPU {}", device), first_);
  return found->second = child(fmt::format("stream {}", stream), of->second);
}

std::uint64_t Tracks::ranges(std::size_t lane) {
  while (lanes_.size() <= lane) lanes_.push_back(child("ranges", first_));
  return lanes_[lane];
}

std::uint64_t Tracks::counter(const std::string& name) {
  const auto [found, is_new] = counters_.try_emplace(name, 0);
  if (!is_new) return found->second;
  found->second = next();
  ProtoMessage unit, track;
  unit.integer(counter::kUnit, std::uint64_t{counter::kBytes});
  track.integer(track::kUuid, found->second);
  track.text(track::kName, name);
  track.integer(track::kParent, first_);
  track.message(track::kCounter, unit);
  sequence_.write(described(track));
  return found->second;
}

std::uint64_t Tracks::time(std::uint64_t monotonic_ns) const {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, show::since_start(subject_.run, process_, monotonic_ns)));
}

}  // namespace prof::formats::perfetto
