// What Java's threads wait for in the conditions that all of its waiting is made of.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "report/model/text.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::fold {

// A lock that another thread holds: of `synchronized`, or of java.util.concurrent. Source: HotSpot's objectMonitor.hpp.
inline bool takes_java_lock(const symbols::Function& function) {
  static constexpr std::string_view kLocks[] = {"java.util.concurrent.locks.ReentrantLock.lock",
                                                "java.util.concurrent.locks.ReentrantReadWriteLock$",
                                                "java.util.concurrent.locks.StampedLock.", "ObjectMonitor::enter"};
  return function.language == symbols::Language::Native && begins_with_any(function.name, kLocks);
}

// The time that it asked for.
inline bool sleeps_in_java(const symbols::Function& function) {
  return function.module == symbols::kMadeByJava && function.name.starts_with("java.lang.Thread.sleep");
}

// Its VM's garbage collector, or another operation that all threads wait for.
inline bool waits_for_java_vm(const symbols::Function& function) {
  static constexpr std::string_view kWaits[] = {"SafepointSynchronize::block",
                                                "SafepointMechanism::", "VMThread::execute",
                                                "VMThread::wait_until_executed", "ObjectMonitor::ExitOnSuspend"};
  return function.language == symbols::Language::Native && begins_with_any(function.name, kWaits);
}

}  // namespace prof::fold
