// What a Java VM does with its threads that the log does not tell by itself.
#pragma once

#include "report/model/process.hpp"

namespace prof::model {

// Makes the thread that runs main() the main thread of the process: Java's launcher starts it before any other, and
// waits for it to the end.
void choose_java_main(Process& process);

// Thread.sleep() waits for a condition that nobody signals: makes it a call that sleeps, where its stack says so.
void tell_java_sleeps(Process& process);

}  // namespace prof::model
