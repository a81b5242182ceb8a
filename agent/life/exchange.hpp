// For system and popen, which pass `environ` on from inside libc: where the program has dropped us from it, it is
// exchanged for the time of the call, and put back, with what the program has changed and removed in it meanwhile.
//
// The other environment stands in memory that stays: whoever got at it meanwhile (a thread that calls getenv, a forked
// child) may go on using it.
#pragma once

namespace prof {

// Before such a call and after it, also when its thread is cancelled in it. Calls of several threads at once share one
// exchange; where another thread is just exchanging, a child may be started without us. Ordinary code.
void exchange_environment();
void restore_environment();

// Once at start. A forked child begins anew: who was exchanging in its parent is not there.
void prepare_exchange();

}  // namespace prof
