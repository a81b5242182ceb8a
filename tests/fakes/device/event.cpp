#include "tests/fakes/device/stream.hpp"

namespace fakegpu {

Event* make_event() { return new Event; }
void drop_event(Event*) {}  // streams may still hold it

void record(Event* event, Stream* stream) {
  if (stream->captured) return;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(event->mutex);
    number = ++event->recordings;
  }
  const std::uint64_t asked = now();
  stream->push([event, number, asked](Stream& self) {
    const std::lock_guard lock(event->mutex);
    event->happened = number;
    event->time = std::max(asked, self.last_end);
    event->changed.notify_all();
  });
}

void wait_for(Stream* stream, Event* event) {
  if (stream->captured) return;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(event->mutex);
    number = event->recordings;
  }
  stream->push([event, number](Stream& self) {
    std::unique_lock lock(event->mutex);
    event->changed.wait(lock, [&] { return event->happened >= number; });
    self.last_end = std::max(self.last_end, event->time);
  });
}

bool happened(const Event* event) {
  Event& it = *const_cast<Event*>(event);
  const std::lock_guard lock(it.mutex);
  return it.happened == it.recordings;
}

void synchronize(Event* event) {
  const std::uint64_t from = now();
  {
    std::unique_lock lock(event->mutex);
    event->changed.wait(lock, [&] { return event->happened == event->recordings; });
  }
  told_wait(nullptr, from);
}

std::uint64_t time_of(const Event* event) {
  Event& it = *const_cast<Event*>(event);
  const std::lock_guard lock(it.mutex);
  return it.time;
}

}  // namespace fakegpu
