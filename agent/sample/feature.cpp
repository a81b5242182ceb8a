#include "agent/thread/feature.hpp"
#include "agent/sample/alternate.hpp"
#include "agent/sample/timer_room.hpp"

namespace prof::ticks {

extern constinit const Feature feature{.prepare = prepare_alternate, .after_fork = renew_timer_room};

}  // namespace prof::ticks
