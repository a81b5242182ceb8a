// The rules by name; what each says stands in its file.
#pragma once

#include "report/findings/rules.hpp"

namespace prof::findings {

extern const Rule kWaitingForDataRule;
extern const Rule kSynchronisationRule;
extern const Rule kLaunchBoundRule;
extern const Rule kPageableCopiesRule;
extern const Rule kTinyCopiesRule;
extern const Rule kDriverAllocationsRule;
extern const Rule kTensorCoresUnusedRule;
extern const Rule kDeviceIdleRule;
extern const Rule kDeviceMemoryRule;
extern const Rule kFragmentationRule;

extern const Rule kCommunicationRule;
extern const Rule kSlowRankRule;
extern const Rule kDataParallelRule;
extern const Rule kSlowStepsRule;
extern const Rule kTensorLoopRule;
extern const Rule kSmallTensorsRule;
extern const Rule kDenseGradientsRule;
extern const Rule kFrozenForwardRule;
extern const Rule kSmallReadsRule;
extern const Rule kSmallWritesRule;
extern const Rule kContainerCopiesRule;
extern const Rule kCheckpointsRule;
extern const Rule kRepeatedReadsRule;
extern const Rule kLockContentionRule;
extern const Rule kOversubscribedRule;
extern const Rule kIdleProcessorsRule;
extern const Rule kPageFaultsRule;
extern const Rule kImportsRule;
extern const Rule kHostMemoryRule;

// activities.cpp
extern const Rule kPicklingRule;
extern const Rule kRegexRule;
extern const Rule kJsonRule;
extern const Rule kDeepcopyRule;
extern const Rule kGarbageRule;
extern const Rule kLoggingRule;
extern const Rule kCompilingRule;
extern const Rule kAnomalyRule;
extern const Rule kKeptGraphsRule;
extern const Rule kLogTextsRule;
extern const Rule kSharedAtomicsRule;
extern const Rule kUnoptimisedRule;
extern const Rule kBusyWaitingRule;
extern const Rule kKeyScansRule;
extern const Rule kThrownAwayFuturesRule;
extern const Rule kTimeZonesRule;
extern const Rule kSynchronisedStreamsRule;
extern const Rule kHeapsRule;
extern const Rule kEqualHashesRule;
extern const Rule kTimedOutRule;
extern const Rule kSleepCommandsRule;
extern const Rule kSmallArraysRule;
extern const Rule kTableScansRule;
extern const Rule kRelationsRule;
extern const Rule kOwnProductsRule;
extern const Rule kPeakCopiesRule;
extern const Rule kObjectColumnsRule;
extern const Rule kUnboundedQueueRule;
// library_data.cpp, library_standard.cpp
extern const Rule kRowWiseRule;
extern const Rule kSingleDatesRule;
extern const Rule kGroupsRule;
extern const Rule kChoicesRule;
extern const Rule kExactNumbersRule;
extern const Rule kSeeksRule;
extern const Rule kGrowingRule;
extern const Rule kDateParsingRule;
extern const Rule kTracebacksRule;
extern const Rule kYamlRule;
extern const Rule kManagersRule;
extern const Rule kTextArraysRule;
extern const Rule kVectorizeRule;
extern const Rule kStartsRule;
// native_work.cpp
extern const Rule kListSearchesRule;
extern const Rule kListShiftsRule;
extern const Rule kSliceCopiesRule;
extern const Rule kConcatenationsRule;
extern const Rule kObjectArraysRule;
extern const Rule kTensorsOfListsRule;
extern const Rule kDoublePrecisionRule;
extern const Rule kCStringsRule;
extern const Rule kExceptionsRule;
// waiting_lines.cpp
extern const Rule kSyncWritesRule;
extern const Rule kEventLoopRule;
extern const Rule kLoopHashesRule;
extern const Rule kAwaitsRule;
extern const Rule kNetworkRule;
extern const Rule kSleepRule;
extern const Rule kChildRule;
extern const Rule kFileWaitRule;
extern const Rule kPipeRule;
extern const Rule kPythonLoopRule;
extern const Rule kHandOverRule;
// processes.cpp
extern const Rule kManyProcessesRule;
extern const Rule kOneByOneRule;
extern const Rule kSlowStageRule;
extern const Rule kSameCommandRule;
// workers.cpp
extern const Rule kUnevenRule;
extern const Rule kFewWorkersRule;

}  // namespace prof::findings
