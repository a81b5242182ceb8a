// Field numbers of Perfetto's trace protos, as far as prof writes them.
#pragma once

namespace prof::formats::perfetto {

inline constexpr unsigned kTracePacket = 1;  // of the file

namespace packet {
enum : unsigned { kClockSnapshot = 6, kTimestamp = 8, kSequence = 10, kTrackEvent, kInterned, kFlags };
enum : unsigned { kProfile = 37, kDefaults = 59, kTrackDescriptor = 60, kPerfSample = 66, kFirst = 87 };
enum : unsigned { kStackSample = 135 };
}  // namespace packet
enum : unsigned { kStateCleared = 1, kNeedsState = 2 };  // of kFlags

namespace clock {
enum : unsigned { kClocks = 1, kPrimary };
enum : unsigned { kId = 1, kTimestamp };  // of one of kClocks
// Of kId. Heap profiles have times of kMonotonicCoarse, whatever the clock of the packets is; kRun is prof's own.
enum : unsigned { kRealtime = 1, kMonotonic = 3, kMonotonicCoarse, kRun = 64 };
}  // namespace clock
namespace defaults {
enum : unsigned { kClock = 58, kStackSample = 100 };
enum : unsigned { kPrimary = 2 };  // of kStackSample
}  // namespace defaults
namespace track {
enum : unsigned { kUuid = 1, kName, kProcess, kThread, kParent, kCounter = 8 };
}
namespace process {
enum : unsigned { kPid = 1, kArgument, kName = 6 };
}
namespace thread {
enum : unsigned { kPid = 1, kTid, kName = 5 };
}
namespace counter {
enum : unsigned { kUnit = 3 };
enum : unsigned { kBytes = 3 };
}  // namespace counter
namespace event {
enum : unsigned { kCategory = 3, kAnnotation, kType = 9, kName, kTrack, kValue = 30, kFlow = 47, kFlowEnd };
enum : unsigned { kBegin = 1, kEnd, kInstant, kCounter };  // of kType
}  // namespace event
namespace annotation {
enum : unsigned { kName = 1, kUnsigned = 3, kText = 17 };
}
namespace interned {
enum : unsigned { kCategory = 1, kEventName, kAnnotationName, kFunction = 5, kFrame, kCallstack };
enum : unsigned { kModule = 17, kSource, kMapping, kAnnotationText = 29 };
enum : unsigned { kIid = 1, kText };  // of those that are texts
}  // namespace interned
namespace frame {
enum : unsigned { kIid = 1, kFunction, kMapping, kSource = 5, kLine, kKind };
enum : unsigned { kNative = 1, kInterpreted = 3 };  // of kKind
}  // namespace frame
namespace mapping {
enum : unsigned { kIid = 1, kModule = 7 };
}
namespace callstack {
enum : unsigned { kIid = 1, kFrames };
}
namespace stack_sample {
enum : unsigned { kTask = 1, kCallstack = 6, kWeight = 11 };
enum : unsigned { kPid = 2, kTid };    // of kTask
enum : unsigned { kName = 2, kUnit };  // of what a weight is
enum : unsigned { kNanoseconds = 1 };  // of kUnit
}  // namespace stack_sample
namespace perf_sample {
enum : unsigned { kPid = 2, kTid, kCallstack };
}
namespace profile {
enum : unsigned { kDump = 5, kIndex = 7 };
enum : unsigned { kPid = 1, kSample, kTimestamp = 9, kHeap = 11, kInterval };  // of kDump
// Of kSample.
enum : unsigned { kCallstack = 1, kAllocated, kFreed, kSampleTime, kAllocations, kFrees };
}  // namespace profile

}  // namespace prof::formats::perfetto
