// A Java VM's interfaces, as the agent declares them, against their real headers where these are installed.
#include <jvmti.h>
#include <jvmticmlr.h>

#include <cstddef>

#include "agent/java/jvmti_abi.hpp"

namespace {
using namespace prof::java::abi;

#define SAME_PLACE(index, table, function) static_assert((index) * sizeof(void*) == offsetof(table, function))
SAME_PLACE(kGetEnv, JNIInvokeInterface_, GetEnv);
SAME_PLACE(kSetEventNotificationMode, jvmtiInterface_1, SetEventNotificationMode);
SAME_PLACE(kDeallocate, jvmtiInterface_1, Deallocate);
SAME_PLACE(kGetClassSignature, jvmtiInterface_1, GetClassSignature);
SAME_PLACE(kGetSourceFileName, jvmtiInterface_1, GetSourceFileName);
SAME_PLACE(kGetMethodName, jvmtiInterface_1, GetMethodName);
SAME_PLACE(kGetMethodDeclaringClass, jvmtiInterface_1, GetMethodDeclaringClass);
SAME_PLACE(kGetLineNumberTable, jvmtiInterface_1, GetLineNumberTable);
SAME_PLACE(kSetEventCallbacks, jvmtiInterface_1, SetEventCallbacks);
SAME_PLACE(kGenerateEvents, jvmtiInterface_1, GenerateEvents);
SAME_PLACE(kDisposeEnvironment, jvmtiInterface_1, DisposeEnvironment);
SAME_PLACE(kGetVersionNumber, jvmtiInterface_1, GetVersionNumber);
SAME_PLACE(kAddCapabilities, jvmtiInterface_1, AddCapabilities);

#define SAME_EVENT(event, real) static_assert(static_cast<int>(event) == static_cast<int>(real))
SAME_EVENT(kFirstEvent, JVMTI_MIN_EVENT_TYPE_VAL);
SAME_EVENT(kMethodLoaded, JVMTI_EVENT_COMPILED_METHOD_LOAD);
SAME_EVENT(kMethodUnloaded, JVMTI_EVENT_COMPILED_METHOD_UNLOAD);
SAME_EVENT(kCodeGenerated, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
static_assert(offsetof(Callbacks, method_loaded) == offsetof(jvmtiEventCallbacks, CompiledMethodLoad));
static_assert(offsetof(Callbacks, method_unloaded) == offsetof(jvmtiEventCallbacks, CompiledMethodUnload));
static_assert(offsetof(Callbacks, code_generated) == offsetof(jvmtiEventCallbacks, DynamicCodeGenerated));
static_assert(sizeof(Capabilities) == sizeof(jvmtiCapabilities));
static_assert(sizeof(LineNumber) == sizeof(jvmtiLineNumberEntry));
static_assert(offsetof(LineNumber, line) == offsetof(jvmtiLineNumberEntry, line_number));
static_assert(offsetof(Record, next) == offsetof(jvmtiCompiledMethodLoadRecordHeader, next));
static_assert(sizeof(Record) == sizeof(jvmtiCompiledMethodLoadRecordHeader) && kInlines == JVMTI_CMLR_INLINE_INFO &&
              kInlinesVersion == JVMTI_CMLR_MAJOR_VERSION_1);
static_assert(sizeof(Point) == sizeof(PCStackInfo) && offsetof(Point, methods) == offsetof(PCStackInfo, methods) &&
              offsetof(Point, count) == offsetof(PCStackInfo, numstackframes));
static_assert(offsetof(InlinesRecord, points) == offsetof(jvmtiCompiledMethodLoadInlineRecord, pcinfo) &&
              offsetof(InlinesRecord, count) == offsetof(jvmtiCompiledMethodLoadInlineRecord, numpcs));
static_assert(kJniVersion == JNI_VERSION_1_6 && static_cast<jint>(kToolsVersion) == JVMTI_VERSION_11);
static_assert(kNone == JVMTI_ERROR_NONE && kNone == JNI_OK && kDetached == JNI_EDETACHED && kEnable == JVMTI_ENABLE);
}  // namespace
