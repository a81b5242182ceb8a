// Threads that wait for work are idle: nobody waits for them.
#pragma once

#include <cstdint>
#include <vector>

#include "report/fold/call_tree.hpp"

namespace prof::fold {

// By node of a tree with Frames::Mixed: whether what waits there waits for work. These do, of blocking calls:
//  * accept() and its kin, and what only a signal ends: pause(), sigsuspend(), sigwait();
//  * joins of threads and of processes that run the program's own code, results of pools and of futures: what those do
//    is what counts;
//  * what waits for a child where nothing is the program's own, as a shell does for its command;
//  * what helper threads, pools and servers of libraries do between two pieces of work, known by the innermost function
//    of Python on the stack, or by functions of native libraries: idle.cpp lists them;
//  * Queue.get() and the like in threads of Python other than the main one, and in child processes of multiprocessing;
//  * conditions of native threads, but for those of which Java's locks and Thread.sleep() are made where own code asked
//    for them; futexes of those that run no own code, and what no function but those of threading.py asked for: timers;
//  * event loops that wait for their sockets, where anything in the tree accepts connections. Elsewhere they wait for
//    what the program has asked for.
std::vector<bool> idle_waits(const CallTree& tree);

}  // namespace prof::fold
