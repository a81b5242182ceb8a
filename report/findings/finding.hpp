// What is worth doing about a run, in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace prof::findings {

// A place in the program's own code.
struct Place {
  std::string file;  // as recorded
  std::int64_t line = 0;
  std::string function;
  // The other functions of own code through which most of it is called, innermost first, as many as there is use for:
  // the loop to change is often there.
  std::vector<Place> callers = {};

  // Whether it is the same place, however it is called.
  bool operator==(const Place& other) const {
    return file == other.file && line == other.line && function == other.function;
  }
};

// A part of the run of one process; a moment where both times are the same.
struct Span {
  std::size_t process = 0;  // index into Run::processes
  std::uint64_t begin_monotonic_ns = 0, end_monotonic_ns = 0;
};

struct Finding {
  std::string rule;               // a name that other programs may rely on: "waiting-for-data", "synchronisation"
  std::string title;              // one short sentence: what is wrong
  std::string seen;               // what was seen, with the numbers
  std::string advice;             // what to try
  std::vector<Place> places;      // most important first; at most 3; empty: none is known
  std::vector<Place> instead_of;  // lines that it is about, in whose stead one that leads to them is a place
  std::vector<Span> when;         // it was seen; empty: all the time, or nothing tells
  // What heeding it could save at most, of the wall time that it is about (the steps' where there are steps, else the
  // run's): 0 to 1; of findings about memory alone 0.
  double saves = 0;
  bool of_run = false;        // `saves` is a share of the run's time although there are steps: it was measured over it
  std::int64_t saves_ns = 0;  // the same as time
  std::int64_t error_ns = 0;  // of saves_ns, where it comes from samples or from what recording took, which is
                              // estimated, and of what trials differed by (amounts_off.hpp); 0: none is known
  std::int64_t saves_bytes = 0;  // of memory, host's or device's
  std::int64_t error_bytes = 0;  // of saves_bytes, in the same way
  // The share that it is about, where heeding it leaves a part of that; 0: `saves`.
  double about = 0;
  // Heeding it saves more than that by what is not measured: then it is no upper bound.
  bool saves_more = false;
  // What it saves is time of processors: nobody waits for what it does with them, and the run takes as long without it.
  bool of_processors = false;
  // Of no use where another finding is about the same function: says no more than where time went.
  bool general = false;
  // Says when time goes, and not why: what another finding about the same line says of most of it is the cause.
  bool symptom = false;
};

}  // namespace prof::findings
