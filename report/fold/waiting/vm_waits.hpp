// What threads of Java and .NET wait for in the conditions that all of their waiting is made of.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "report/model/text.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::fold {

inline constexpr std::string_view kCoreClr = "/libcoreclr.so";

// A lock that another thread holds: of `synchronized` and java.util.concurrent, of C#'s `lock`. Sources: HotSpot's
// objectMonitor.hpp; coreclr's syncblk.cpp; .NET 9's System.Threading.Lock.
inline bool takes_vm_lock(const symbols::Function& function) {
  static constexpr std::string_view kLocks[] = {"java.util.concurrent.locks.ReentrantLock.lock",
                                                "java.util.concurrent.locks.ReentrantReadWriteLock$",
                                                "java.util.concurrent.locks.StampedLock.",
                                                "ObjectMonitor::enter",
                                                "AwareLock::Enter",
                                                "System.Threading.Lock."};
  return function.language == symbols::Language::Native && begins_with_any(function.name, kLocks);
}

// The time that it asked for.
inline bool sleeps_in_vm(const symbols::Function& function) {
  static constexpr std::string_view kOfDotnet[] = {"ThreadNative::Sleep", "Thread::UserSleep"};
  return (function.module == symbols::kMadeByJava && function.name.starts_with("java.lang.Thread.sleep")) ||
         (function.module.ends_with(kCoreClr) && begins_with_any(function.name, kOfDotnet));
}

// The end of a thread or task of its own.
inline bool joins_in_dotnet(const symbols::Function& function) {
  static constexpr std::string_view kJoins[] = {"ThreadNative::Join", "ThreadNative::DoJoin", "Thread::JoinEx",
                                                "System.Threading.Tasks.Task.InternalWait",
                                                "System.Threading.Tasks.Task.SpinThenBlockingWait"};
  return (function.module == symbols::kMadeByDotnet || function.module.ends_with(kCoreClr)) &&
         begins_with_any(function.name, kJoins);
}

// Its VM's garbage collector, or another operation that all threads wait for.
inline bool waits_for_java_vm(const symbols::Function& function) {
  static constexpr std::string_view kWaits[] = {"SafepointSynchronize::block",
                                                "SafepointMechanism::", "VMThread::execute",
                                                "VMThread::wait_until_executed", "ObjectMonitor::ExitOnSuspend"};
  return function.language == symbols::Language::Native && begins_with_any(function.name, kWaits);
}

}  // namespace prof::fold
