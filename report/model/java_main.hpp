// The thread of a Java program that runs its main().
#pragma once

#include "report/model/process.hpp"

namespace prof::model {

// Makes it the main thread of the process: Java's launcher starts it before any other, and waits for it to the end.
void choose_java_main(Process& process);

}  // namespace prof::model
