#include "agent/thread/feature.hpp"
#include "agent/sample/alternate.hpp"
#include "agent/sample/ticks.hpp"
#include "agent/sample/timer_room.hpp"

namespace prof::ticks {
namespace {

void after_fork() {
  renew_timer_room();
  renew_signal();
}

}  // namespace

extern constinit const Feature feature{
    .prepare = prepare_alternate, .begin = prepare, .begin_thread = begin, .after_fork = after_fork};

}  // namespace prof::ticks
