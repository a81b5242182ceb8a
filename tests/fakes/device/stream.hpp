// Inside of the fake device: streams.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "tests/fakes/device/fakegpu.hpp"

namespace fakegpu {

struct Event {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t recordings = 0;  // asked for
  std::uint64_t happened = 0;    // of them
  std::uint64_t time = 0;
};

class Stream {
 public:
  Stream(std::uint32_t number, const Context* of) : id(number), context(of) {}

  const std::uint32_t id;
  const Context* const context;
  std::shared_ptr<Graph> captured;  // what is being captured

  void push(std::function<void(Stream&)> item);
  void wait_until_idle();
  bool is_idle();
  void close();  // when what is in it is done

  // Runs work on the stream's thread: its place in time, what it does, who is told.
  void run(Work& work);
  std::uint64_t last_end = 0;  // of the device's clock; the stream's thread alone

 private:
  void loop();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void(Stream&)>> items_;
  bool running_ = false, threaded_ = false, closing_ = false;
};

}  // namespace fakegpu
