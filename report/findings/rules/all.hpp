// The rules by name; what each says stands in its file.
#pragma once

#include "report/findings/rules/look.hpp"

namespace prof::findings {

// Causes stand before their effects: an idle device is what most of those above it lead to.
// clang-format off
#define PROF_RULES(RULE) \
  RULE(kWaitingForDataRule) RULE(kSynchronisationRule) RULE(kLaunchBoundRule) RULE(kPageableCopiesRule) \
  RULE(kTinyCopiesRule) RULE(kDriverAllocationsRule) RULE(kTensorCoresUnusedRule) RULE(kJitCompilingRule) \
  RULE(kDeviceIdleRule) RULE(kDeviceMemoryRule) RULE(kDeviceGrowthRule) RULE(kFragmentationRule) \
  RULE(kCommunicationRule) RULE(kSlowRankRule) RULE(kDataParallelRule) RULE(kSlowStepsRule) \
  RULE(kEvaluationInStepsRule) RULE(kTensorLoopRule) RULE(kSmallTensorsRule) RULE(kRecomputedPrefixRule) \
  RULE(kDenseGradientsRule) RULE(kDenormalsRule) RULE(kRetainedGraphsRule) RULE(kFrozenForwardRule) \
  RULE(kUnusedGradientsRule) RULE(kSmallReadsRule) RULE(kSmallWritesRule) RULE(kSmallMessagesRule) \
  RULE(kLostBuffersRule) RULE(kRepeatedReadsRule) RULE(kLockContentionRule) RULE(kSharedObjectsRule) \
  RULE(kSmallLocksRule) RULE(kEventLoopRule) RULE(kHeldLoopRule) RULE(kLoopHashesRule) RULE(kHandOverRule) \
  RULE(kAwaitsForEachRule) RULE(kPromisesInTurnRule) RULE(kTimedOutRule) RULE(kLateEndsRule) RULE(kUnevenRule) \
  RULE(kStarvedRule) RULE(kResultsAtOnceRule) RULE(kReplacedWorkersRule) RULE(kFewWorkersRule) \
  RULE(kDefaultExecutorRule) RULE(kOversubscribedRule) RULE(kIdleProcessorsRule) RULE(kContainerSearchesRule) \
  RULE(kContainerShiftsRule) RULE(kStringSumsRule) RULE(kClearsRule) RULE(kReservesRule) RULE(kGeneratorsRule) \
  RULE(kNestedGeneratorsRule) RULE(kThreadStartsRule) RULE(kPageFaultsRule) RULE(kImportsRule) RULE(kHostMemoryRule) \
  RULE(kMallocOverheadRule) RULE(kPicklingRule) RULE(kRegexRule) RULE(kJsonRule) RULE(kDeepcopyRule) \
  RULE(kGarbageRule) RULE(kLoggingRule) RULE(kCompilingRule) RULE(kRowWiseRule) RULE(kSingleDatesRule) \
  RULE(kGroupsRule) RULE(kUnobservedRule) RULE(kChoicesRule) RULE(kArrayChoicesRule) RULE(kExactNumbersRule) \
  RULE(kSeeksRule) RULE(kGrowingRule) RULE(kMergesRule) RULE(kSparseSlicesRule) RULE(kWindowFunctionsRule) \
  RULE(kContainerCopiesRule) RULE(kObjectCopiesRule) RULE(kBufferSumsRule) RULE(kArrayShiftsRule) RULE(kSyncCallsRule) \
  RULE(kIntlFormatsRule) RULE(kSharedAtomicsRule) RULE(kUnoptimisedRule) RULE(kBusyWaitingRule) RULE(kKeyScansRule) \
  RULE(kSortedAgainRule) RULE(kThrownAwayFuturesRule) RULE(kSmallArraysRule) RULE(kTableScansRule) \
  RULE(kRelationsRule) RULE(kCommandsRule) RULE(kOwnProductsRule) RULE(kDiagonalProductsRule) RULE(kColumnOrderRule) \
  RULE(kColumnViewsRule) RULE(kPeakCopiesRule) RULE(kSmallDequesRule) RULE(kKeptErrorsRule) RULE(kRowsAtOnceRule) \
  RULE(kBroadcastRule) RULE(kWindowCopiesRule) RULE(kBroadcastTimeRule) RULE(kObjectColumnsRule) \
  RULE(kUnboundedQueueRule) RULE(kUnsentDataRule) RULE(kAnomalyRule) RULE(kKeptViewsRule) RULE(kKeptGraphsRule) \
  RULE(kLogTextsRule) RULE(kListSearchesRule) RULE(kListShiftsRule) RULE(kDequePositionsRule) RULE(kSliceCopiesRule) \
  RULE(kConcatenationsRule) RULE(kObjectArraysRule) RULE(kHeapsRule) RULE(kEqualHashesRule) RULE(kTensorsOfListsRule) \
  RULE(kDoublePrecisionRule) RULE(kCStringsRule) RULE(kTimeZonesRule) RULE(kSynchronisedStreamsRule) \
  RULE(kExceptionsRule) RULE(kTlsContextsRule) RULE(kRecordCopiesRule) RULE(kClassProbabilitiesRule) \
  RULE(kDistributionsRule) RULE(kSinglePredictionsRule) RULE(kCtypesRule) RULE(kDateParsingRule) RULE(kTracebacksRule) \
  RULE(kSignaturesRule) RULE(kProtocolsRule) RULE(kYamlRule) RULE(kConfigurationRule) RULE(kManagersRule) \
  RULE(kPendingWaitsRule) RULE(kTextArraysRule) RULE(kVectorizeRule) RULE(kParametrizationsRule) \
  RULE(kCheckpointsRule) RULE(kStartsRule) RULE(kSleepCommandsRule) RULE(kJavaListSearchesRule) \
  RULE(kJavaListShiftsRule) RULE(kJavaListPositionsRule) RULE(kJavaQueueSizesRule) RULE(kJavaPatternsRule) \
  RULE(kJavaFormatsRule) RULE(kJavaExceptionsRule) RULE(kJavaEqualHashesRule) RULE(kJavaDateFormatsRule) \
  RULE(kJavaReflectionRule) RULE(kJavaStringSumsRule) RULE(kJavaSortsRule) RULE(kJavaCollectorRule) \
  RULE(kLargeForksRule) RULE(kManyProcessesRule) RULE(kOneByOneRule) RULE(kBatchWaitsRule) RULE(kSlowStageRule) \
  RULE(kSameCommandRule) RULE(kWholeSortsRule) RULE(kTinyBlocksRule) RULE(kTextPatternsRule) RULE(kShellArraysRule) \
  RULE(kCommitsRule) RULE(kSyncWritesRule) RULE(kAwaitsRule) RULE(kNetworkRule) RULE(kSleepRule) RULE(kChildRule) \
  RULE(kFileWaitRule) RULE(kPipeRule) RULE(kPythonLoopRule)
// clang-format on

#define PROF_DECLARE_RULE(rule) extern const Rule rule;
PROF_RULES(PROF_DECLARE_RULE)
#undef PROF_DECLARE_RULE

}  // namespace prof::findings
