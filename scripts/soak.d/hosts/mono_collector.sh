# Mono: its collector stops all threads by signals; threads, garbage, exceptions from nulls, a pool of tasks.
cat >Work.cs <<'CS'
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

class Work {
  class Node { public Node Next; public byte[] Load; }

  static long Churn(int seed) {
    long sum = 0;
    Node head = null;
    for (int i = 0; i < 60000; ++i) {
      head = new Node { Next = i % 100 == 0 ? null : head, Load = new byte[(i * seed) % 300] };
      sum += head.Load.Length;
    }
    return sum;
  }

  static void Main() {
    var sums = new long[24];
    var threads = new List<Thread>();
    for (int t = 0; t < sums.Length; ++t) {
      int n = t;
      var thread = new Thread(() => sums[n] = Churn(n + 1));
      threads.Add(thread);
      thread.Start();
    }
    for (int i = 0; i < 20; ++i) GC.Collect();
    foreach (var thread in threads) thread.Join();
    Console.WriteLine("churn " + sums.Sum());
    int count = 0, nulls = 0;
    var gate = new object();
    for (int t = 0; t < 300; ++t) {
      var thread = new Thread(() => { for (int i = 0; i < 100; ++i) lock (gate) ++count; });
      thread.Start();
      if (t % 3 == 0) thread.Join(); else threads.Add(thread);
    }
    foreach (var thread in threads) thread.Join();
    Console.WriteLine("locked " + count);
    Node hole = null;
    for (int i = 0; i < 500; ++i) { try { hole.Next = null; } catch (NullReferenceException) { ++nulls; } }
    Console.WriteLine("caught " + nulls);
    var tasks = Enumerable.Range(0, 60).Select(n => Task.Run(() => Enumerable.Range(0, 20000).Sum(i => (long)i * n % 11))).ToArray();
    Task.WaitAll(tasks);
    Console.WriteLine("tasks " + tasks.Sum(t => t.Result));
    var words = Enumerable.Range(0, 100000).GroupBy(i => "w" + i % 777).OrderBy(g => g.Key, StringComparer.Ordinal).Take(3);
    Console.WriteLine("words " + string.Join(",", words.Select(g => g.Key + ":" + g.Count())));
  }
}
CS
mcs -out:work.exe Work.cs && for run in 1 2; do
  mono work.exe
  echo "mono ended with $?"
done
