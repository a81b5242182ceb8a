// What of a Java VM's interfaces is used here. Their tables of functions keep their order in all versions: it is part
// of the specification, and so no header is needed to build.
//
// Source: Java Native Interface Specification, "Invocation API"; JVM Tool Interface 1.1, "Function Index", "Event
// Index", jvmtiCapabilities.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::java::abi {

// Both kinds of environment, and the VM: a pointer to a table of functions, and behind it what is theirs alone.
struct Interface {
  void* const* functions;
};
using Vm = Interface;
using Tools = Interface;  // jvmtiEnv
using Method = void*;     // jmethodID
using Class = void*;      // jclass, a local reference

using Error = std::int32_t;
inline constexpr Error kNone = 0;                          // JNI_OK, JVMTI_ERROR_NONE
inline constexpr Error kDetached = -2;                     // JNI_EDETACHED: not this thread, or not now
inline constexpr std::int32_t kJniVersion = 0x00010006;    // 1.6
inline constexpr std::int32_t kToolsVersion = 0x300b0000;  // JVMTI 11
inline constexpr std::int32_t kEnable = 1;                 // JVMTI_ENABLE
inline constexpr const char* kCreatedVms = "JNI_GetCreatedJavaVMs";

using GetCreatedVms = Error(Vm** vms, std::int32_t room, std::int32_t* count);
using GetEnv = Error(Vm*, void** environment, std::int32_t version);
using SetEventNotificationMode = Error(Tools*, std::int32_t mode, std::int32_t event, void* thread, ...);
using Deallocate = Error(Tools*, void* memory);
using GetClassSignature = Error(Tools*, Class, char** signature, char** generic);
using GetSourceFileName = Error(Tools*, Class, char** name);
using GetMethodName = Error(Tools*, Method, char** name, char** signature, char** generic);
using GetMethodDeclaringClass = Error(Tools*, Method, Class*);
struct LineNumber {
  std::int64_t start;  // where the line's code begins in the method's bytecode
  std::int32_t line;
};
using GetLineNumberTable = Error(Tools*, Method, std::int32_t* count, LineNumber** lines);
using SetEventCallbacks = Error(Tools*, const void* callbacks, std::int32_t bytes);
using GenerateEvents = Error(Tools*, std::int32_t event);
using DisposeEnvironment = Error(Tools*);
using GetVersionNumber = Error(Tools*, std::int32_t* version);
using AddCapabilities = Error(Tools*, const void* capabilities);

// Where they stand in their table, from 0 on.
inline constexpr std::size_t kGetEnv = 6;
inline constexpr std::size_t kSetEventNotificationMode = 1, kDeallocate = 46, kGetClassSignature = 47,
                             kGetSourceFileName = 49, kGetMethodName = 63, kGetMethodDeclaringClass = 64,
                             kGetLineNumberTable = 69, kSetEventCallbacks = 121, kGenerateEvents = 122,
                             kGetVersionNumber = 87, kDisposeEnvironment = 126, kAddCapabilities = 141;

enum Event : std::int32_t { kFirstEvent = 50, kMethodLoaded = 68, kMethodUnloaded = 69, kCodeGenerated = 70 };
using MethodLoaded = void(Tools*, Method, std::int32_t bytes, const void* code, std::int32_t locations, const void* map,
                          const void* information);
using MethodUnloaded = void(Tools*, Method, const void* code);
using CodeGenerated = void(Tools*, const char* name, const void* code, std::int32_t bytes);

// What comes with a method, as HotSpot has it (jvmticmlr.h): records in a list. For points in the code, which ascend,
// the methods that are compiled into each other there, the innermost one first.
struct Record {
  std::int32_t kind;
  std::int32_t version[2];
  const Record* next;
};
inline constexpr std::int32_t kInlines = 2, kInlinesVersion = 1;
struct Point {
  const void* code;
  std::int32_t count;
  const Method* methods;
  const std::int32_t* places;  // in their bytecodes
};
struct InlinesRecord {
  Record head;
  std::int32_t count;
  const Point* points;
};

// jvmtiEventCallbacks, as far as its functions are set here.
struct Callbacks {
  void* before[kMethodLoaded - kFirstEvent];
  MethodLoaded* method_loaded;
  MethodUnloaded* method_unloaded;
  CodeGenerated* code_generated;
};

// jvmtiCapabilities: a bit each.
struct Capabilities {
  std::uint32_t bits[4];
};
inline constexpr unsigned kSourceFileNames = 11, kLineNumbers = 12, kMethodLoadEvents = 27;

// The function of a table, called with its interface.
template <class Function, class... A>
Error call(Interface* on, std::size_t index, A... arguments) {
  return reinterpret_cast<Function*>(on->functions[index])(on, arguments...);
}

}  // namespace prof::java::abi
