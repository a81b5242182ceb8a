// What every call of an interposed function reads, of whatever part of the agent it is: the linker puts it side by
// side, in the order of the numbers, so that a call in the midst of a program that uses its caches for itself waits for
// few lines of memory.
#pragma once

// 0 begins a line of 64 bytes, 1 stands behind it: its sizes together leave room in that line; 2 begins the next one.
#define PROF_HOT_DATA(order) __attribute__((section(".data.prof_hot." #order)))
