#include "agent/gpu/cupti/client.hpp"

#include <atomic>
#include <cstring>
#include <initializer_list>

#include "agent/core/clock.hpp"
#include "agent/core/lock.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/gpu/cupti/client_times.hpp"
#include "agent/gpu/cupti/library.hpp"
#include "agent/gpu/cupti/records.hpp"
#include "agent/log/conditions.hpp"

namespace prof::gpu::cupti {
namespace {

// What was recorded before a client disabled its last kind may come for so long, unless it asks for it before.
constexpr std::uint64_t kAfterwardsNs = 5'000'000'000;

// A buffer of the client's that is being filled. There is one as long as it has kinds enabled: a client may ask for
// what has come only while it knows of a buffer under way (PyTorch's does).
struct Room {
  std::uint8_t* start;
  std::size_t bytes, used;
};

struct Client {
  Lock lock;  // of `room`; never held around a callback
  Room room;  // no start: there is none, or somebody is filling it
  std::atomic<RequestBuffer> request;
  std::atomic<CompleteBuffer> complete;
  ClockPair first;  // of `clock`, stored before it
  std::atomic<Timestamp> clock;
  std::atomic<std::uint64_t> kinds;     // enabled now: a bit each
  std::atomic<std::uint64_t> wanted;    // enabled since it last had none
  std::atomic<std::uint64_t> until;     // it gets records until then; 0: as long as it has kinds enabled
  std::atomic<std::size_t> lost;        // records, which it was not told of
  char library[sizeof(Library::path)];  // its libcupti, where it was there before us
};
PROF_WIPED constinit pages::Wiped<Client> g_client{};

std::uint64_t bit(std::uint32_t kind) { return kind < 64 ? std::uint64_t{1} << kind : 0; }

// Which records of a buffer the client asked for. Not what came of our own numbers; nor a number of its own once more,
// for a call of the driver that the one of the runtime made, where it did not ask for those.
class Filter {
 public:
  explicit Filter(std::uint64_t kinds) : kinds_(kinds) {}
  bool passes(const Record& r) {
    if ((kinds_ & bit(r.kind)) == 0) return false;
    if (r.kind != static_cast<std::uint32_t>(Kind::ExternalCorrelation)) return true;
    const auto& e = reinterpret_cast<const ExternalRecord&>(r);
    if (e.external_kind == kExternalCustom2) return false;
    if ((kinds_ & bit(static_cast<std::uint32_t>(Kind::Driver))) != 0) return true;
    for (const ExternalRecord& seen : seen_) {
      if (seen.external_kind == e.external_kind && seen.id == e.id && seen.correlation == e.correlation) return false;
    }
    seen_[next_++ % kSeen] = e;
    return true;
  }

 private:
  static constexpr std::uint32_t kSeen = 16;  // the two are close together
  const std::uint64_t kinds_;
  std::uint32_t next_ = 0;
  ExternalRecord seen_[kSeen] = {};
};

Room take_room(Client& client) {
  const HeldLock locked(client.lock);
  if (!locked) {
    count_loss(log::Loss::Contended);
    return {};
  }
  const Room room = client.room;
  client.room = {};
  return room;
}

// False: there is one already, or somebody else is at it.
bool keep_room(Client& client, const Room& room) {
  const HeldLock locked(client.lock);
  if (!locked || client.room.start != nullptr) return false;
  client.room = room;
  return true;
}

Room ask_for_room(RequestBuffer request) {
  Room room{};
  std::size_t most = 0;
  request(&room.start, &room.bytes, &most);
  if (room.start == nullptr) room.bytes = 0;
  return room;
}

// Fills the client's buffers.
class Copy {
 public:
  Copy(Client& client, void* context, std::uint32_t stream)
      : client_(client),
        request_(client.request.load(std::memory_order_relaxed)),
        complete_(client.complete.load(std::memory_order_relaxed)),
        context_(context),
        stream_(stream),
        times_(client.clock.load(std::memory_order_acquire), client.first),
        room_(take_room(client)) {}
  ~Copy() {
    if (room_.start != nullptr && !keep_room(client_, room_)) hand_over(room_);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  explicit operator bool() const { return request_ != nullptr && complete_ != nullptr; }

  // False: it has no room, even in a new buffer.
  bool add(const std::uint8_t* record, std::size_t bytes) {
    if (room_.start == nullptr || bytes > room_.bytes - room_.used) {
      const Room full = room_;
      room_ = ask_for_room(request_);  // first, so that one is always under way
      if (full.start != nullptr) hand_over(full);
      if (room_.start == nullptr || bytes > room_.bytes) return false;
    }
    std::memcpy(room_.start + room_.used, record, bytes);
    times_.convert(room_.start + room_.used, bytes);
    room_.used += bytes;
    return true;
  }

 private:
  void hand_over(const Room& room) { complete_(context_, stream_, room.start, room.bytes, room.used); }

  Client& client_;
  const RequestBuffer request_;
  const CompleteBuffer complete_;
  void* const context_;
  const std::uint32_t stream_;
  const ClientTimes times_;
  Room room_;
};

}  // namespace

void client_registers(RequestBuffer request, CompleteBuffer complete) {
  prepare_client();
  Client& c = g_client.value;
  const CompleteBuffer before = c.complete.load();
  const Room room = before != complete ? take_room(c) : Room{};
  if (room.start != nullptr && before != nullptr) before(nullptr, 0, room.start, room.bytes, room.used);
  c.kinds = 0;
  c.wanted = 0;
  c.request = request;
  c.complete = complete;
}

void client_begins() {
  Client& c = g_client.value;
  const RequestBuffer request = c.request.load();
  const CompleteBuffer complete = c.complete.load();
  if (request == nullptr || complete == nullptr || c.kinds == 0) return;
  {
    const HeldLock locked(c.lock);
    if (!locked || c.room.start != nullptr) return;
  }
  const Room room = ask_for_room(request);
  if (room.start != nullptr && !keep_room(c, room)) complete(nullptr, 0, room.start, room.bytes, 0);
}

void client_enables(Kind kind) {
  Client& c = g_client.value;
  const std::uint64_t mine = bit(static_cast<std::uint32_t>(kind));
  if (c.kinds.fetch_or(mine) == 0) c.wanted = 0;
  c.wanted.fetch_or(mine);
  c.until = 0;
}

void client_disables(Kind kind) {
  Client& c = g_client.value;
  const std::uint64_t mine = bit(static_cast<std::uint32_t>(kind));
  const std::uint64_t before = c.kinds.fetch_and(~mine);
  if (before != 0 && (before & ~mine) == 0) c.until = clock::monotonic() + kAfterwardsNs;
}

void client_flushed() {
  Client& c = g_client.value;
  const Room room = take_room(c);
  const bool goes_on = c.kinds != 0;
  if (goes_on && room.used == 0 && room.start != nullptr && keep_room(c, room)) return;
  if (goes_on) client_begins();
  const CompleteBuffer complete = c.complete.load();
  if (room.start != nullptr && complete != nullptr) complete(nullptr, 0, room.start, room.bytes, room.used);
  if (!goes_on) c.wanted = 0;
}

bool client_active() {
  const Client& c = g_client.value;
  if (c.complete.load(std::memory_order_relaxed) == nullptr || c.wanted.load(std::memory_order_relaxed) == 0)
    return false;
  const std::uint64_t until = c.until.load(std::memory_order_relaxed);
  return until == 0 || clock::monotonic() < until;
}

void client_loses(std::size_t records) {
  if (client_active()) g_client.value.lost += records;
}

std::size_t client_losses() { return g_client.value.lost.exchange(0); }

bool client_wants(Kind kind) { return (g_client.value.kinds.load() & bit(static_cast<std::uint32_t>(kind))) != 0; }

bool client_wants_kernels() {
  return (client_wants(Kind::ConcurrentKernel) || client_wants(Kind::Kernel)) && !client_wants(Kind::GraphTrace);
}

void client_has_clock(Timestamp clock) {
  Client& c = g_client.value;
  c.clock.store(nullptr, std::memory_order_release);
  c.first = read_both(clock);
  c.clock.store(clock, std::memory_order_release);
}

Timestamp client_clock() {
  const Timestamp theirs = g_client.value.clock.load(std::memory_order_acquire);
  return theirs != nullptr ? theirs : clock::realtime;
}

void client_uses(const void* function) {
  prepare_client();
  path_of(function, g_client.value.library, sizeof(g_client.value.library));
}

const char* client_library() { return g_client.value.library; }

bool client_known() { return g_client.value.complete.load(std::memory_order_relaxed) != nullptr; }

bool return_to_client(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                      std::size_t valid_bytes) {
  const CompleteBuffer complete = g_client.value.complete.load(std::memory_order_relaxed);
  if (complete == nullptr) return false;
  complete(context, stream, buffer, bytes, valid_bytes);
  return true;
}

void serve_client(const Functions& functions, void* context, std::uint32_t stream, std::uint8_t* buffer,
                  std::size_t valid_bytes) {
  if (valid_bytes == 0 || !client_active()) return;
  Client& c = g_client.value;
  Filter filter(c.wanted.load(std::memory_order_relaxed));
  Copy copy(c, context, stream);
  if (!copy) return;
  // A record's length is known by where the next one begins.
  const std::uint8_t* at = nullptr;
  if (functions.next_record(buffer, valid_bytes, &at) != kSuccess) return;
  while (at != nullptr) {
    const std::uint8_t* next = at;
    if (functions.next_record(buffer, valid_bytes, &next) != kSuccess) next = nullptr;
    const std::uint8_t* end = next != nullptr ? next : buffer + valid_bytes;
    if (end <= at) return;
    if (filter.passes(*reinterpret_cast<const Record*>(at)) && !copy.add(at, static_cast<std::size_t>(end - at)))
      ++c.lost;
    at = next;
  }
}

void prepare_client() { pages::wipe_in_child(g_client); }

}  // namespace prof::gpu::cupti
