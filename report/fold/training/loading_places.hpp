// What the stacks of a process have to do with PyTorch's DataLoader.
#pragma once

#include <cstdint>
#include <vector>

#include "report/model/process.hpp"

namespace prof::fold {

// What a node's stack says; bits of LoadingPlaces::at().
enum Place : std::uint16_t {
  kNext = 1,         // in the loader's __next__: the loop waits for a batch
  kStart = 2,        // the loader makes its iterator, and its processes
  kWorker = 4,       // in the loop of a worker process
  kOrders = 8,       // of it, waiting to be told what to load
  kFeeder = 16,      // the thread of a queue that sends what was put into it
  kEmpty = 32,       // of it, waiting for something to send
  kPin = 64,         // the thread that pins memory
  kTaking = 128,     // of it, waiting for something to pin
  kLoop = 256,       // in the function that has the loop
  kImport = 512,     // in the import system
  kDirectly = 1024,  // the innermost Python frame is the worker's loop
};

// One process: what is known of each node from the names on its stack.
class LoadingPlaces {
 public:
  // `process` must outlive it.
  explicit LoadingPlaces(const model::Process& process);

  // Whether code of it was seen that takes batches, and that of a worker's loop.
  bool trains() const { return trains_; }
  bool works() const { return works_; }
  // Only of a process that trains or works.
  std::uint16_t at(std::uint32_t node) const { return at_[node]; }

  // Adds kLoop to all stacks with one of these frames.
  void mark_loop(const std::vector<bool>& frames);

 private:
  const model::Process* process_;
  std::vector<std::uint16_t> at_;  // by node; empty where the process has to do with no loader
  bool trains_ = false, works_ = false;
};

}  // namespace prof::fold
