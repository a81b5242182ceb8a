// From where on the rules speak, and where each threshold comes from.
#pragma once

#include <cstdint>

namespace prof::findings {

// Of the steps' time: below it healthy trainings wait, too, for the first batches of each epoch above all. Twice
// fold::kFastEnough, the share at which PyTorch's TensorBoard plugin spoke of its DataLoader.
inline constexpr double kWaitingForData = 0.1;
// The same where nothing tells why: a sound loop with two workers on two processors waits for 10 to 14 % of its steps.
// And where the samples are rows of tensors: each small model trained from a TensorDataset waits for 10 to 18 %.
inline constexpr double kWaitingUnclear = 0.2;

// Of the wall time: what a change of a line or two must be able to save before it is advised. Times of exact calls are
// meant, so there is no error of sampling that it would have to stand above.
inline constexpr double kWorthALine = 0.02;
// Of a thread's life, what it did of some kind: where it is more, all of its life is taken for that. Threads of a
// service that ran its queries had 95 % of it.
inline constexpr double kMuchOfItsLife = 0.25;

// Rounds of a DataLoader's workers, one for each pass over the data: a few are trainings of a few epochs.
inline constexpr std::int64_t kManyRounds = 5;

// Of the wall time, in calls that wait for a device, while it idles as long: below it is one such wait at the end of a
// step, which costs nothing as long as the device is kept busy.
inline constexpr double kSynchronisation = 0.05;
inline constexpr double kManyWaits = 20;  // at a line, in a run without steps
// Calls at a line for each step, from which on it is part of the steps: less is logging, checkpoints, what is done
// before and after the loop. Somewhat less than one, since the first steps may go without.
inline constexpr double kEachStep = 0.9;

// Of a CPU time, that of one thread, from which on what other threads do of it is left out of account; of idle time,
// what other findings are about.
inline constexpr double kNearlyAll = 0.9;

// Of a line's time, in functions of a library that another way makes needless; of what slow steps took beyond the
// others, in what is computed without gradients.
inline constexpr double kMostOfALine = 0.66;
inline constexpr double kHardlyInBlas = 0.02;  // of such a line, where it multiplies matrices in numpy's own loops

// Of a query, CPU time for each byte that it allocates: look-ups by an index and reads of rows that are wanted took 2
// to 50 ns, searches through whole tables more than 1 us.
inline constexpr double kScannedNsPerByte = 300;
// The same where no index of a column can serve what is compared: rows that are added up in groups take some memory
// (a scan that did so took 295 ns).
inline constexpr double kScannedByFunctionNsPerByte = 100;
// Of such a search by a function of the column, what each block takes that it allocates: look-ups by an index took 180
// bytes and 1.3 us, searches 40 bytes and 100 ns.
inline constexpr std::int64_t kBytesOfRow = 100;
inline constexpr std::int64_t kNsOfRow = 500;

// Of the time from a device's first work to its last, without work: where PyTorch's TensorBoard plugin spoke of low
// utilisation.
inline constexpr double kDeviceIdle = 0.5;
// Part of the steps that a device may idle that bounds them.
inline constexpr double kDeviceBound = 0.15;
// Part of what a backward pass took that the lines before it have to have, to be named in its place.
inline constexpr double kForwardOfBackward = 0.33;

// Mean time of a kernel. Launching one takes the host about 5 us, and the operator around it as long again: shorter
// kernels end before the next one can be there.
inline constexpr double kTinyKernelNs = 10'000;
inline constexpr std::int64_t kManyKernels = 1'000;  // fewer are no load
inline constexpr double kLaunchBound = 0.2;          // of the device's time, idle while the host launched or computed
// What the host computes from one launch to the next, where nothing else is done in between: PyTorch's layers, autograd
// and optimizers were seen to take 30 to 120 us on average, with recording; a loop of Python over values milliseconds.
inline constexpr std::int64_t kBetweenLaunchesNs = 250'000;
inline constexpr std::int64_t kFewGaps = 5;
// A longer one, where the others are short, is the first: code is loaded, libraries set themselves up.
inline constexpr std::int64_t kSetUpNs = 10 * kBetweenLaunchesNs;
// What recording takes of the host for each launch (CUPTI's part above all), and for each operator of PyTorch's.
inline constexpr double kLaunchRecordedNs = 2'000;
inline constexpr double kOperatorRecordedNs = 500;

// CUDA's own border: copies from pageable memory up to here are staged at once, so pinning them gains next to nothing;
// above, the host waits until all of it has gone through a buffer.
inline constexpr std::int64_t kStagedBytes = 64 << 10;
// Of those, calls in a step (or in the run, where there are no steps): less are what each batch needs.
inline constexpr double kManyCopiesPerStep = 10;
inline constexpr double kManyCopies = 1'000;

// Frees of device memory in a step: an allocator that has found its size has none, one in two steps is churn.
inline constexpr double kDriverFreesPerStep = 0.5;
inline constexpr double kDriverFrees = 20;  // in a run without steps: fewer are the end of the program

// Of a device's memory: where PyTorch's TensorBoard plugin warned of the next larger batch.
inline constexpr double kDeviceMemory = 0.9;

// Tensors of so many steps that live at once, where each step allocates some: a step itself needs those of one, and of
// two where the next batch is prepared.
inline constexpr double kStepsKept = 20;
inline constexpr std::int64_t kDeviceGrowth = 64 << 20;
inline constexpr double kGrownOfPeak = 0.1;        // of all tensors
inline constexpr double kGrowthSeen = 0.5;         // of that, what the level of all tensors rose by over the steps
inline constexpr std::size_t kFollowedPoints = 6;  // of the level within the steps: with less their ends are compared
inline constexpr double kStillGrows = 0.25;        // of the rise, in the last third: half of it is even growth

// Of the memory that the caching allocator holds, never used at once; and of the device's memory, below which it does
// not matter.
inline constexpr double kFragmentation = 0.25;
inline constexpr double kFragmentationOfDevice = 0.05;
inline constexpr std::int64_t kFragmentationBytes = std::int64_t{1} << 30;  // where the device's memory is not known

// Of the time of kernels, in those that multiply matrices without the units made for it; and of all that multiply, by
// these units: more, and the program knows of them.
inline constexpr double kPlainMatrices = 0.1;
inline constexpr double kTensorCores = 0.1;
inline constexpr unsigned kTensorCoreCapability = 7;  // Volta, the first with such units

// Of the time of a step: where PyTorch's TensorBoard plugin advised less communication.
inline constexpr double kCommunication = 0.1;

// A rank's own time against the median of the others': from this slowdown on studies of large training jobs (Lin et
// al., "Understanding Stragglers in Large Model Training Using What-if Analysis", 2025) count a job as straggling.
inline constexpr double kSlowRank = 1.1;

// Of the wall time, in torch.nn.DataParallel: below it the program computes elsewhere.
inline constexpr double kDataParallel = 0.05;

// Of the steps' time, beyond the typical step, in those that stand out: below it nobody's work is worth it.
inline constexpr double kSlowSteps = 0.05;
// And of their time at least: a neighbour on the machine makes less.
inline constexpr std::int64_t kLeastSlowStepsNs = 100'000'000;
// The same where it is evaluation, which each training does now and then.
inline constexpr double kEvaluation = 0.2;
// The same in steps that are alike: an epoch's evaluation takes a tenth of a sound training, as a rule. And what those
// steps may take that stand out, of the evaluation: then it is done now and then.
inline constexpr double kEvaluationInSteps = 0.2, kNowAndThen = 0.3;
// Of that, what a line that computes outside of PyTorch must have taken in all to be named for it.
inline constexpr double kPartOfSurplus = 0.25;
// From the first to the last quarter of the steps: a machine's clock and its neighbours make less.
inline constexpr double kSlowerSteps = 0.15;

// Of the wall time of a run, or of a process, in imports; and the least: a large framework alone takes longer.
inline constexpr double kImports = 0.2;
inline constexpr std::int64_t kLeastImportsNs = 500'000'000;
// From here on imports are worth a look even where all of them compute.
inline constexpr std::int64_t kLongImportsNs = 3'000'000'000;
inline constexpr double kWaitsOfImports = 0.1;     // of their time: less is the reading of files
inline constexpr std::int64_t kManyImporters = 3;  // child processes that import by themselves

// Of the wall time, in reads of small parts or of what was read before: as kSlowSteps.
inline constexpr double kFileReads = 0.05;
// What the kernel reads and copies at little more cost than a byte: databases and awk read a page at a time, with
// sense.
inline constexpr std::int64_t kSmallRead = 1024;
inline constexpr double kOpenedForEach = 0.5;      // opens for each such call
inline constexpr std::int64_t kManyReads = 1'000;  // fewer take a millisecond
inline constexpr double kOfABuffer = 0.85;         // what a read has of it on average, with what ends a file
inline constexpr std::int64_t kManyOpens = 10;     // of one file

// A rate at which a training of a day fills that much memory: no run that grows less has ended for want of it.
inline constexpr std::int64_t kGrownInADay = std::int64_t{1} << 30;
// Of a line that grows: less, or for less time, is how programs begin.
inline constexpr std::int64_t kLeastLeak = 256 << 10;
inline constexpr double kLeastLeakSeconds = 1;
// Of a program without steps: what its beginning and its end are of its life, each; the least growth, and its least
// part of the rest; how near to a straight line (1) thirds of it must be; and so many moments.
inline constexpr double kEdgeOfLife = 0.1;
inline constexpr std::int64_t kGrownInALife = 64 << 20;
inline constexpr double kGrownOfMemory = 0.4;                // of the most that was held, where it is freed at the end
inline constexpr std::int64_t kGrownScriptHeap = 128 << 20;  // of V8: less may be what its collector has not looked at
inline constexpr std::int64_t kKeptInALife = 16 << 20;       // of what was not even freed at the end
inline constexpr double kMostOfLife = 0.8;
inline constexpr double kEven = 0.5;
inline constexpr double kEvenIfFreed = 0.75;  // a table of what was seen so far grows ever more slowly
// Where it rises for a part of that only, and nothing is freed at the end either: the least and the largest part.
inline constexpr double kRiseOfLife = 0.4;
inline constexpr double kRisesOn = 0.85;
inline constexpr std::size_t kMomentsOfLife = 8;
inline constexpr double kFlatStart = 0.05;          // of the moments, in which nothing grows yet
inline constexpr double kLeastSecondsOfLife = 1.0;  // less is how data gets in
// Where the program's own code frees it in the end, and no line is known to keep it.
inline constexpr double kLeastSecondsOfNative = 5;
// What a finding about memory alone weighs against a saving of time where all memory of a process is in it.
inline constexpr double kWeightOfMemory = 0.75;
// Memory that nobody misses: less than this weighs less.
inline constexpr double kMuchMemory = 256.0 * (1 << 20);
// Times what went by at their lines that two findings claim, from which on they claim the same; samples vary.
inline constexpr double kClaimedTwice = 1.05;
// Of the larger one of them, the smaller one from which on it says the same in other words.
inline constexpr double kTheSame = 0.95;
// Of the larger one of them, the smaller one from which on the cause goes before its effect.
inline constexpr double kAboutAsLarge = 0.8;
// Of what a general finding could save, what a special one about the same function must save to explain it.
inline constexpr double kExplains = 0.5;
inline constexpr double kExplainsGrowth = 0.4;  // the same of memory that grows all the time
// Of all that a program has allocated, which varies: the least growth that was seen.
inline constexpr std::int64_t kLeastGrown = 16 << 20;
// Lines that each hold such a part of the growth, in so many blocks that were seen, and together so much, are named for
// it.
inline constexpr double kPartOfGrowth = 0.2;
inline constexpr double kAllOfGrowth = 0.8;
inline constexpr double kFallsOfGrowth = 0.25;  // what was given back meanwhile, where all of it is in the end
inline constexpr double kHoldsTheGrowth = 0.5;
// Of what grew over the steps, given back meanwhile, as by an epoch that ends: then it does not grow without an end.
inline constexpr double kGivenBack = 0.5;
inline constexpr std::int64_t kHeldBlocks = 8;
// Of what grew, never freed, from which on it is meant where objects are known to hold each other.
inline constexpr double kLostOfGrowth = 0.3;
// What malloc takes beside each block, for its size and to the next multiple of 16: 8 to 23 bytes, of which larger
// blocks take no notice.
inline constexpr std::int64_t kBytesBesideBlock = 12;
inline constexpr std::int64_t kSmallBlock = 1024;
inline constexpr std::size_t kMostGrowingLines = 3;

// Of the time in which threads were ready to run, waiting for a processor: the same as fold::kQueued.
inline constexpr double kOversubscribed = 0.2;
// Of the processors there are, what threads wanted at once: as many threads as processors are as it should be, with the
// short-lived ones that each program has beside them.
inline constexpr double kWantedOfProcessors = 1.25;
// Of the processors, those that the run kept busy itself: where they are fewer, it was others that it waited for.
inline constexpr double kUsedOfProcessors = 0.75;
// The same of a pool with so many threads for each processor: eight on two keep 1.3 busy in a program of which a
// quarter runs on one thread.
inline constexpr double kUsedByMany = 0.5;
inline constexpr double kManyOfPool = 3;
// Of the wall time, in what threads of parallel libraries do while they wait: the least that is worth a word.
inline constexpr double kSpins = 0.05;

// An operator that takes longer gains by being parted: at::parallel_for gives each thread 32,768 elements at least,
// which the cheapest operators do in some 10 us, but waking threads and waiting for the last one takes as long, and
// training loops of operators of 0.1 ms were seen to gain nothing by a second thread.
inline constexpr double kLargeOperatorNs = 1'000'000;
// Of what a processor more for all of such operators would save, what it was seen to: scripts/demo-train.py with
// torch.set_num_threads(2) on two processors, 207 to 142 ms a step. Products by a BLAS of one thread do not gain.
inline constexpr double kOfThreads = 0.75;
inline constexpr double kInLargeOperators = 0.7;  // of the wall time
inline constexpr double kInReferenceBlas = 0.5;   // of the products' time
inline constexpr double kIdleProcessors = 0.4;  // of the processors: with two of them one, less the main thread's share

// Of the wall time, in lines of which a good part goes to taking elements out of tensors.
inline constexpr double kTensorLoop = 0.1;
inline constexpr double kTakesElements = 0.1;
inline constexpr std::int64_t kManyElements = 10'000;  // fewer take some 10 ms
inline constexpr double kManyElementsPerStep = 100;
inline constexpr double kTinyOperatorNs = 20'000;  // longer ones do something, or wait for a GPU

// Products of matrices that take no longer are of a few rows: a call costs some 2 us, 64 rows by 64 columns take 10.
inline constexpr double kSmallProductNs = 6'000;
inline constexpr double kMostlyTiny = 0.5;  // of the operators' time, in those of kTinyOperatorNs and less on average
inline constexpr std::int64_t kManyProducts = 5'000;  // fewer take some 20 ms, with all that is around them

// Of the steps' time, in the forward pass; and of that, in the backward pass, which takes twice as long where the whole
// model learns and a third of it where one of six layers does.
inline constexpr double kFrozenForward = 0.4;
inline constexpr double kHardlyAnyBackward = 0.05;

// Gradients of a backward pass for each parameter that the optimizer changes: two are models that are trained in turns.
inline constexpr double kUnusedGradients = 3;
inline constexpr std::int64_t kManySteps = 10;

// Calls of a backward function for each call of the operator that made it: two are a generator and its judge, or two
// losses of one graph. And how many of them are no accident.
inline constexpr double kWalkedAgain = 2.3;
inline constexpr std::int64_t kManyWalks = 50;

// A gradient of an embedding against the look-up of the same rows: as long where all rows are used, more where most of
// it is zeros. And the least that is a large table; and how many of them are no accident.
inline constexpr double kRowsLeftAlone = 5;
inline constexpr double kTablesOfRows = 3;  // the same by what gradients and looked up rows allocate
// Of what dense gradients take beside Adam, what SparseAdam saves: 0.62 and 0.76 where a batch uses a quarter of the
// table, all where it uses few rows.
inline constexpr double kSavedBesideMoments = 0.7;
inline constexpr double kSparseGradient = 0.3;  // times a look-up, what is left; chosen by two programs
inline constexpr double kLongDenseGradientNs = 200'000;
inline constexpr std::int64_t kManyDenseGradients = 20;
// Of the optimizer's time: Adam takes ten times as long for a table as making its gradient does. Less, and most of its
// parameters are others.
inline constexpr double kDenseOfOptimizer = 0.06;
inline constexpr double kProductsOfTables = 0.5;  // of the time for gradients and optimizer
// Divisions of an optimizer's state against products of as many gradients: twice as long with ordinary numbers (1.2 to
// 1.8 for 4 KiB to 8 MiB of them), 18 times with denormal ones. The least that is no call's own cost; and so many.
inline constexpr double kDenormalOfProduct = 4;
inline constexpr double kLongDenormalNs = 20'000;
inline constexpr std::int64_t kManyDenormals = 100;

// Of the time in which threads compute or wait for a lock; and what the one that waited most lost of the wall time.
inline constexpr double kLockContention = 0.15;
inline constexpr double kLockContentionOfWall = 0.15;
// Of its life, the CPU time of a thread that does hardly more than to wait for the others.
inline constexpr double kOnlyJoins = 0.1;
// Of the time that a thread waits for Python's global lock, what it computes: one of thirty that take turns.
inline constexpr double kComputes = 0.03;

// Of the CPU time, or of the program's, in one thing that could be done in another way; and the least, which samples
// can tell from chance: 20 of them at 100 a second.
inline constexpr double kActivity = 0.1;
// The same of a garbage collector that has processors of its own.
inline constexpr double kCollector = 0.25;
// The same of searching lists: with five elements it is no slower than a set, and takes a quarter of a loop that does
// little else.
inline constexpr double kListWork = 0.4;
// Of the time in sorts, in finding out that the elements are in order.
inline constexpr double kInOrder = 0.5;
// The same of what small programs rightly do now and then: it is most of what they do.
inline constexpr double kMostlyOneThing = 0.2;
// Of a table's time: in its buckets, where the hash is one of a few; on the way to further nodes of a bucket; and times
// what comparing takes. Sound hashes had up to 2 times, in tables of all sizes; where five keys or more share each, it
// was 4 times and more, and 0.29 to 0.76 of the table's time; 2.3 times where each of 24 keys of one hash is compared.
inline constexpr double kInBuckets = 0.8;
inline constexpr double kAlongBuckets = 0.2;
inline constexpr double kBeyondTheFirst = 2.2;
inline constexpr std::int64_t kLeastActivityNs = 200'000'000;
inline constexpr std::int64_t kLeastCompiledNs = 1'000'000'000;
// The same of what nearly all samples of a short program are in.
inline constexpr std::int64_t kLeastOfShortNs = 100'000'000;
// Of all CPU time, in copies of objects of JavaScript: a program that takes new small objects for old ones, as many do,
// has a tenth of it there. What of such copies only large ones have (the hash tables of objects of many keys, blocks of
// arrays; one that copies large ones was seen to have half of it there, and one of small ones none), and from which
// part of the time on copies of arrays are no accident, so that what makes them grow counts.
inline constexpr double kObjectCopies = 0.2;
inline constexpr double kOfLargeCopies = 0.2;
inline constexpr double kCopiedToGrow = 0.05;
// Where most copies go key by key: of their time, in single keys. Copies of 10 keys have 0.65 of it there, of 50 and
// 100 0.9, of 300 and 900 0.98 (node 20).
inline constexpr double kMostCopies = 0.5;
inline constexpr double kOfManyKeys = 0.95;
// Of all CPU time, in what is the work of many a program: parsing and searching text.
inline constexpr double kOfWork = 0.5;
// Of the time in which samples become a batch, what makes tensors of single numbers, without the collector's part.
inline constexpr double kOfCollating = 0.3;
inline constexpr double kAskedOfTensors = 0.02;  // of that, in functions that ask a list for its elements: seen 0.06
// Of the time at the end of a block, what another line of the function has that is named in its place: chosen.
inline constexpr double kBesideBrace = 0.2;
// A process with so much in memory whose forks take so long each is told of that: 0.06 to 0.15 ms of CPU time with next
// to nothing in memory, 1.1 ms with 64 MiB, 5.8 with 300, 9.1 with 500. What a small one's fork takes stays.
inline constexpr std::int64_t kLargeProcess = std::int64_t{64} << 20;
inline constexpr double kLargeForkNs = 1'000'000;
inline constexpr double kSmallForkNs = 100'000;
// The same in JSON: who reads each of a million lines once spends half of his time on it.
inline constexpr double kOfParsing = 0.6;
// What handlers of a log take, times the making of the records for them. With one handler it was 0.8 times in a program
// of short messages and 4 times in one of long ones, with 55 on average 160 times. And the samples that must have met
// what only asks handlers, which takes some 5 % of what they take.
inline constexpr double kManyHandlers = 10;
inline constexpr std::int64_t kSamplesOfHandlers = 3;
// A call in an event loop that takes less on average blocks nobody.
inline constexpr std::int64_t kBlocksTheLoopNs = 200'000;
// Bytes that a call of a socket moves: fewer cost what the call costs. As many calls as take 50 ms and more.
inline constexpr std::int64_t kSmallMessage = 64;
inline constexpr std::int64_t kManyMessages = 50'000;
// Waits as long as a delayed acknowledgement: 40 ms by Linux, of which a distribution knows that it was 33 to 50; so
// many, and most of what answers took, of requests that are sent in two parts and more. Shorter waits are no answers.
inline constexpr double kAnswerNs = 1e6, kDelayedFromNs = 35e6, kDelayedToNs = 48e6;
inline constexpr double kDelayNs =
    42e6;  // of one: TCP_DELACK_MIN, and half a tick of a kernel with 250 of them a second
inline constexpr double kManyDelays = 10;
inline constexpr double kMostlyDelayed = 0.7;
inline constexpr double kPartsOfRequest = 1.8;
inline constexpr double kAnotherCount = 0.2;    // by which the waits of both ends may differ
inline constexpr double kSendsForDelay = 0.25;  // of such waits, the calls of a line that sends such a part
// Threads of a process that are many, and what each does where that is little beside the 20 to 40 us that it takes to
// start one and to join it. Of the time of the thread that starts them.
inline constexpr std::int64_t kManyThreads = 2'000;
inline constexpr double kLittleWorkNs = 100'000;
inline constexpr double kThreadStarts = 0.1;
// Turns of an event loop: one so long is felt by people (Web pages call tasks of 50 ms long), and asyncio itself warns
// of 100 ms; so many, and so much of the run, that they are no matter of its start.
inline constexpr std::int64_t kHeldLongNs = 50'000'000;
inline constexpr std::int64_t kHeldOften = 5;
inline constexpr double kHeldShare = 0.05;
inline constexpr double kHeldBusy = 0.6;  // of such turns, that they were not kept from a processor
// Computing between two messages of a task, below which it is many such tasks that make a turn long: a twentieth of a
// turn that is told.
inline constexpr std::int64_t kShortPieceNs = 500'000;
// Of the program's time, in waits at its own lines; and the least.
inline constexpr double kWaitingLine = 0.1;
inline constexpr std::int64_t kLeastWaitNs = 100'000'000;
// Events that a loop finds after a long turn, on average: with one there was none but whoever it had just answered.
inline constexpr double kOthersInTurn = 2;
// Questions that a process asks others for each answer that it gives, where a task of it asks them in a loop.
inline constexpr double kAsksForEach = 2;
// Requests on a connection, on average, from which on it is taken to be used for one after the other.
inline constexpr double kKeptConnection = 4;
// Answers that are awaited at once of one peer, on average, of a program that asks for one at a time.
inline constexpr double kAskedInTurn = 1.3;
inline constexpr double kOfBusiest = 0.05;  // of the answers of a process's busiest server: others are asked by the way
inline constexpr double kPeersAtWork = 0.8;  // of what was waited for peers of the run
// A call that takes less on average waits for nothing: it is the system's own work.
inline constexpr std::int64_t kShortCallNs = 50'000;
// Of calls that wait, those that must have given their processor up: reads of what is in memory do not.
inline constexpr double kGivesUp = 0.1;
// One child that works is no fault, nor is one pause.
inline constexpr std::int64_t kManyChildren = 10;
inline constexpr std::int64_t kManySleeps = 3;
inline constexpr std::int64_t kManyFutures = 4;
inline constexpr double kBesideEachOther =
    1.3;  // times the time that is waited, what threads that take turns have of it
inline constexpr std::int64_t kManyTimeouts = 10;
// Of the time in which jobs are ready to run one at a time, without a processor: less is how a scheduler works.
inline constexpr double kHadByOthers = 0.2;
// Of the time that small processes live, that of one command from which on it is the one to do without.
inline constexpr double kOfOneCommand = 0.7;
// Times what sockets that were accepted sent, what tasks send that only answer: short calls are counted by samples.
inline constexpr double kOnlyAnswers = 1.25;
inline constexpr std::int64_t kManyAwaits = 20;  // a few are what a program begins with
// Bytes that malloc has beyond all that was ever held, and their part of what is resident: arenas of a program with
// threads have some ten MiB each, and what was read once and freed is a part of many.
inline constexpr std::int64_t kMuchOverhead = 256 << 20;
inline constexpr double kOverheadOfRss = 0.4;
inline constexpr double kHolesOfGrowth = 0.25;  // the same of what grew, that is told with it: chosen
// Part of what a forked child's malloc has that its parent's has to have, to be where it comes from.
inline constexpr double kInherited = 0.5;
// Times that what functions hold at the peak was allocated by them: two arrays that are joined have it once.
inline constexpr double kCopiedAgain = 4;
// Blocks that were seen of what grows evenly, the part of them that was no smaller than any before, and their average
// in parts of the largest: of 1,200 rounds of numpy and 900 of PyTorch all of them, and 0.5; where the first is not
// empty, a little more.
inline constexpr std::int64_t kManyGrown = 30;
inline constexpr double kMostlyGrowing = 0.9, kLeastOfLargest = 0.35, kMostOfLargest = 0.85;
// Of them where they begin anew up to five times, and how many there are at least: of 60 random sizes 5 are no smaller
// than all before, on average, and 12 never were in 10,000 trials.
inline constexpr double kGrowingInRounds = 0.2;
inline constexpr std::int64_t kGrownInRounds = 60;
// Waits below commands of Redis: fewer are no reason to gather them.
inline constexpr std::int64_t kManyCommands = 1000;
// The same of merges of data frames: twelve of 400,000 rows allocated 20 times what they held, 300 of 200 rows with a
// table of 60,000 more than 300 times.
inline constexpr double kMergedAgain = 100;
// Of what a library takes at a line, in what makes it slow there: the rest is what comes with it.
inline constexpr double kMuchOfALine = 0.3;
// Of the loading of relations, in making objects of the rows: more is one query that gives many.
inline constexpr double kOfOneQuery = 0.5;
// Of the wall time, the CPU time of a program that is at work at all.
inline constexpr double kAtWork = 0.02;
// Of the one that does most, what each of several threads does that share their work.
inline constexpr double kAlikeThreads = 0.7;

// Times that CPU time took with the waiting for a processor, from which on both are told.
inline constexpr double kStretched = 1.1;

// Of a shell's own time, for each child: what fork() takes a small one that nobody records, about.
inline constexpr std::int64_t kMakingNs = 100'000;
// So many processes, that live so shortly, and so much of the run's time that their parent waits for them.
inline constexpr std::int64_t kManyProcesses = 50;
inline constexpr std::int64_t kShortLifeNs = 50'000'000;
inline constexpr double kWaitsForProcesses = 0.25;
// An array that no cache of a core holds; and what of the time of a loop across it goes along a row is saved.
inline constexpr std::int64_t kBeyondCaches = 4 << 20;
inline constexpr double kOfAcross = 0.85;    // 0.46 to 0.78 of matrices of 800 to 4,000 rows, 0.92 of 4,096
inline constexpr double kOfALoop = 0.02;     // of all CPU time, below a line that is looked at
inline constexpr double kPipedOfRead = 0.1;  // of what a command reads, by a pipe: it may be other data each time
// How much longer than any line near it a line of a script takes that copies a long array: of one with a few elements,
// what any command takes is most. Chosen by five scripts: 6 and more with long arrays, 0.8 and 1.5 with short ones.
inline constexpr double kLongArray = 4;
// Of the heap at its peak, what deques take before their first element; and of that, what those take that have grown:
// chosen, by one program.
inline constexpr double kDequesOfPeak = 0.25;
inline constexpr double kGrownDeques = 0.25;
// A command of a script that is worth a look. Of a sort's time, what one pass over the same lines takes: awk took a
// tenth to a quarter. And bytes in a nanosecond that grep -F -f looks through: 220 to 250 MB a second of lines with
// addresses, for 100 to 1,000 of them.
inline constexpr std::int64_t kLeastCommandNs = 50'000'000;
inline constexpr double kOnePass = 0.1;
inline constexpr double kTextsPerNs = 0.22;
// Reads and writes of dd, and their bytes on average, that are tiny blocks; what recording one takes of time
// that is in no sample of the agent's (4 million, five runs: 26 to 34; 72 to 75 in all).
inline constexpr std::int64_t kManyBlocks = 100'000;
inline constexpr std::int64_t kTinyBlock = 64;
inline constexpr double kBlockUnseenNs = 29;
// What a small process that read so much alone computes beyond a start has to be done in any case.
// Chosen: wc of 4 MB takes 10 ms, cut of a line 1.
inline constexpr std::int64_t kOwnData = 256 << 10;
inline constexpr std::int64_t kUsualStartNs = 1'000'000;
// A shell with so much in memory takes several times as long to start a process: 0.3 ms while it is small, 0.9 ms with
// 19 MiB, 1.6 with 42, 2.9 with 81. A line that holds so much of it is named.
inline constexpr std::int64_t kLargeShell = 24 << 20;
inline constexpr double kHeldByLine = 0.3;
// What recording them took is said, and not claimed, from this part of the run on.
inline constexpr double kWorthSaying = 0.05;
// The agent's clock runs within its own code alone. What else it takes (its library is mapped and bound, its code comes
// from memory, pages are copied after a fork, its log is unmapped at the end) is about as much again as the agent
// counts of a short start, and a third of what it counts besides: 600 runs of /bin/true took 0.54 ms each longer, of
// which it counted 0.25; 600 subshells 0.39 of 0.29; 960 of both in pipes 0.73 of 0.49; 200 of git 1.19 of 0.60; 33
// Python programs 4.0 of 2.45.
inline constexpr std::int64_t kUnseenOfAStartNs = 300'000;
inline constexpr double kUnseenOfMore = 0.35;
inline constexpr std::int64_t kMostUnseenNs = 1'000'000;
// Of what comes of that, and of what the recording of operators takes: subshells had 0.67 of it, /bin/true 1.1, single
// elements of tensors 0.5 to 0.75.
inline constexpr double kRecordingMayBeOff = 0.4;
// Times that short life, of those that count as such pieces: on a busy machine some take longer.
inline constexpr std::int64_t kSmallPieces = 4;
// Arrays beyond what processors keep at hand, and operators that work on such ones.
inline constexpr std::int64_t kLargeArray = 8 << 20;
inline constexpr std::int64_t kLongOperatorNs = 1'000'000;

// Tables that no cache holds.
inline constexpr std::int64_t kLargeTable = 32 << 20;
// Of what calls with a column each take, what goes away where its values lie together: the rest is what numpy does for
// any call (2.1 of 2.9 s for 40,960 calls with series of 2,048 values: the one program that was measured).
inline constexpr double kOfColumnCalls = 0.75;

// Of the processors, so much at work that more jobs at once would wait for them.
inline constexpr double kBusyProcessors = 0.7;

// Journals that SQLite made, each for a transaction of its own; and what such a statement costs less within a large
// one.
inline constexpr std::int64_t kManyCommits = 500;
inline constexpr double kOfACommit = 0.95;
inline constexpr double kWritesOfACommit = 5;

// One command that is run so often with the same arguments, and what of the run's time all but one of them take.
inline constexpr std::size_t kSameCommands = 5;
// So many longer ones, whose lives together are so many times the time in which any of them lived.
inline constexpr std::size_t kManyJobs = 4;
inline constexpr double kOneByOne = 1.2;
// Of the life of a stage of a pipeline, at its pipes; and so many such stages beside the slow one.
inline constexpr double kWaitsForStage = 0.5;
inline constexpr std::int64_t kWaitingStages = 2;
inline constexpr double kWaitsToWrite = 0.2;  // of the life of a stage before it
// Waits for a condition or a semaphore, so many and so short that the wake-ups are what they take: one costs some 5 to
// 50 us.
inline constexpr std::int64_t kManyHandOvers = 2'000;
inline constexpr std::int64_t kShortHandOverNs = 200'000;

// Of workers side by side: times their mean that the busiest one is at work, from which on the parts are not even.
inline constexpr double kUneven = 1.3;
// Of their lives, in which workers have nothing to do: pools whose feeder reads and parses had nine tenths.
inline constexpr double kStarved = 0.5;
inline constexpr double kUnevenOfShort = 0.25;  // of a short run's time, which is waited: no chance of samples is in it
// So few workers, each of which waits for so much of its life, in so many calls: more would wait at the same time. What
// is told is for so many, which servers and disks bear.
inline constexpr std::int64_t kFewWorkers = 4;
inline constexpr double kWaitingWorker = 0.7;
inline constexpr std::int64_t kWaitsOfWorker = 4;
inline constexpr std::int64_t kManyWorkers = 32;
// A program's main thread that waits for others for such a part of its life, and computes at most so much, is not the
// one whose time counts, but the busiest of at most kFewWorkers others that are busy for so much of theirs.
inline constexpr double kWaitsForOthers = 0.8;
inline constexpr double kComputesBeside = 0.1;
inline constexpr double kBusyThread = 0.5;

// Calls of a generator in each other, on average: a balanced tree of a thousand has that many levels, and its items do
// not all come from the lowest.
inline constexpr double kManyLevels = 10;

// Of the CPU time, in the code of one function that is interpreted: below half of it something else is the work. Where
// many functions share it, no loop is hot, and the program as a whole is what it is.
inline constexpr double kInterpreted = 0.5;
// Of the time of a function in the interpreter, that in its own bytecode. A loop that multiplies and adds large numbers
// has a quarter of it there (CPython 3.11), one that calls sorted() next to nothing.
inline constexpr double kOfBytecode = 0.15;
inline constexpr double kPartOfALoop = 0.2;  // of its CPU time, in one process of several that share it
inline constexpr std::int64_t kLeastInterpretedNs = 460'000'000;

// Memory of a model that lived at the peak: the least, its part of all memory of malloc, and of all that it ever
// allocated, which one call of very many has next to nothing of; and so many calls.
inline constexpr std::int64_t kKeptGraphs = 64 << 20;
inline constexpr double kOfKeptMost = 0.25;  // of the stack with most of what lived, others that made what is kept
inline constexpr double kKeptOfPeak = 0.2;
inline constexpr double kKeptOfAllocated = 0.3;
inline constexpr double kKeptTimes = 20;

// Of what pandas takes for functions that it calls for each group, in the interpreter: of groups of 45 rows more than
// half, of such with half a million a hundredth.
inline constexpr double kOfSmallGroups = 0.2;
inline constexpr double kOfHeapLine = 0.1;    // of a line, what makes a heap or goes through a list: the rest compares
inline constexpr double kOfSmallCalls = 0.3;  // of what a call takes for a few hundred values
inline constexpr double kOfSmallRows = 0.5;   // of what it takes for single rows and values
// Of the CPU time at a line, in numpy, and in the interpreter, which makes the calls: of operations on arrays of some
// thousand numbers it has a twentieth at most, on arrays of sixteen a quarter (CPython 3.11, numpy 1.24).
inline constexpr double kInNumpy = 0.4;
inline constexpr double kCallsOfNumpy = 0.15;
// Bytes of a diagonal matrix that is made in full, from which on what it costs may be told, and the part of a line's
// products that need not be.
inline constexpr std::int64_t kFullDiagonal = 1 << 20;
inline constexpr double kMostlyZeros = 0.3;
// Bytes of an array from which on it is no few numbers, whatever its calls do besides: those of numpy.random check
// what they are given, for more than kCallsOfNumpy of the time that 2,000 numbers take.
inline constexpr std::int64_t kFewNumbers = 8 << 10;
// The same for arrays that a package asks for, as scipy.optimize does for each guess: chosen.
inline constexpr std::int64_t kCurve = 2 << 10;

// Of what live bytes rose by, what resident memory rose by meanwhile, from which on blocks that are kept hold more than
// their own pages; and the most that is told of that.
inline constexpr double kMoreResident = 1.15;
inline constexpr double kMostResident = 2.0;

// A copy that lives at the peak: the least, its part of all memory of malloc then, and how near what was copied at its
// line is to what was allocated there, which of a buffer that grows is twice as much.
inline constexpr std::int64_t kPeakCopy = 64 << 20;
inline constexpr double kCopyOfPeak = 0.25;
inline constexpr double kObjectsOfPeak = 0.25;  // of the highest RSS, in objects that one line of pandas made
inline constexpr double kAllCopied = 0.9;
inline constexpr double kQueuedOfPeak = 0.5;  // of what lived at the peak, in what one line puts into a queue

// rows-at-once: what a line keeps, of all that lives at the peak.
inline constexpr std::int64_t kRowsAtOnce = 64 << 20;
inline constexpr double kRowsOfPeak = 0.5;

// broadcast-peaks: the same of what a line makes by broadcasting. Where one array alone gets an axis, what is made may
// be no larger than the other one, which lives beside it: then it has half, and a copy of it two thirds.
inline constexpr std::int64_t kBroadcast = 64 << 20;
inline constexpr double kBroadcastOfPeak = 0.5;
inline constexpr double kBroadcastOfOne = 0.75;

// window-copies: the same of what overlapping windows take.
inline constexpr std::int64_t kWindowCopies = 64 << 20;
inline constexpr double kWindowsOfPeak = 0.5;

// kept-errors: the least of what is kept in variables that lived at the peak, its part of all memory of malloc then, of
// what its lines allocated in all, and how many of its largest blocks that is.
inline constexpr std::int64_t kKeptErrors = 32 << 20;
inline constexpr double kKeptErrorsOfPeak = 0.25;
inline constexpr double kKeptOfCalls = 0.5;
inline constexpr double kManyKeptErrors = 4;

// Of the CPU time, in code that was not optimised; and what optimising saves of that: such code was seen to take two to
// four times as long, and ten times where it goes through small functions for each number.
inline constexpr double kUnoptimised = 0.4;
inline constexpr double kSavedByOptimising = 0.75;

// Of the time in which json.dump() writes a file, what file.write(json.dumps()) takes less: 41 % of lists of numbers,
// 62 to 82 % of documents of dicts and strings, in Python 3.8 to 3.11.
inline constexpr double kSavedByEncoderInC = 0.75;

// Of the wall time, in page faults: as kSlowSteps.
inline constexpr double kPageFaults = 0.05;
inline constexpr std::int64_t kManyMajorFaults = 100;
// The least that a fault takes that storage must answer (flash): a low bound, so that what is told could be saved.
inline constexpr double kMajorFaultNs = 20'000;
// Of one for fresh memory, entry to the kernel and the zeroing of a page: the least, and the most that was seen, in
// virtual machines. The kernel's account of its own time says where between them; logs of old agents lack it.
inline constexpr double kMinorFaultNs = 500;
inline constexpr double kMostMinorFaultNs = 1'600;
// What fresh pages push out of the caches costs the program's own code as well, and what the kernel does for other
// reasons is in its account, too: of what that says, 0.87 to 1.25 were saved by buffers that are kept.
inline constexpr double kFreshMemoryMayBeOff = 0.25;
// Of the wall time, in faults for fresh memory: PyTorch's allocations of a training of small batches were seen to have
// a tenth of it, which nobody takes for a fault.
inline constexpr double kFreshMemory = 0.15;
inline constexpr std::int64_t kPageBytes = 4096;
// Of the pages that faults brought, those of large blocks that were allocated again.
inline constexpr double kChurn = 0.5;
// From here on malloc asks the kernel for each block (M_MMAP_THRESHOLD of glibc, before it adapts).
inline constexpr std::int64_t kLargeBlock = 128 << 10;
// Of all that was freed, the least in such blocks that makes them the holes: where seven threads worked with small
// blocks, the table of pointers to these was a tenth.
inline constexpr double kHolesOfLargeBlocks = 0.5;

}  // namespace prof::findings
