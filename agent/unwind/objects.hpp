// Which loaded object holds an address. Never takes the dynamic loader's lock where it matters: a hook may run while
// another thread holds it, and a signal handler may have interrupted its holder.
#pragma once

#include <link.h>

#include <cstdint>

namespace prof {

struct Object {
  std::uintptr_t start, end;         // mapped range
  std::uintptr_t bias;               // address = bias + address in the file
  const char* name;                  // as the loader knows it; "" for the executable. Valid while it is loaded
  const std::uint8_t* eh_frame_hdr;  // PT_GNU_EH_FRAME; null: none
};

// The object mapped at `address`, as of now. Any context; lock-free (glibc >= 2.35: _dl_find_object; before: a snapshot
// that refresh_objects() takes).
bool object_at(std::uintptr_t address, Object& object);

// Takes a new snapshot where there is no _dl_find_object and objects came or went. Called by whoever passes. Any
// context.
void refresh_objects();

// Around each dlclose, in pairs.
void modules_closing();
void modules_closed();
// What was known about addresses may be wrong from now on; part of modules_closed().
void modules_changed();
std::uint32_t loader_generation();  // raised by modules_changed(): no object has gone as long as it is the same
// The same of addresses in no object.
void made_code_changed();
std::uint32_t module_generation();  // raised by either

// libprof.so's own range; frames inside are the agent's.
extern struct OwnCode { std::uintptr_t start, end; } own_code;
inline bool is_own_code(std::uintptr_t address) { return address >= own_code.start && address < own_code.end; }

// Once at start; ordinary code. `hide_own`: this code's own object is the agent's (in the tests it is also the
// program). `may_find`: false as if there were no _dl_find_object.
void prepare_objects(bool hide_own = true, bool may_find = true);

}  // namespace prof
