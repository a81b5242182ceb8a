# Ruby: threads, fibers, ractor-less parallel children, garbage, a server and its timer thread's signals.
cat >work.rb <<'RB'
require 'digest'
require 'socket'
require 'timeout'
sums = 40.times.map { |n| Thread.new { (1..20_000).sum { |i| i * n % 7 } } }.map(&:value)
puts "threads #{sums.sum}"
fibers = 200.times.map { |n| Fiber.new { 30.times { |i| Fiber.yield(n * i) }; -1 } }
puts "fibers #{30.times.sum { fibers.sum(&:resume) }} #{fibers.map(&:resume).sum}"
kept = {}
300_000.times { |i| kept["k#{i % 5000}"] = 'x' * (i % 300) }
GC.compact if GC.respond_to?(:compact)
puts "garbage #{kept.values.sum(&:size)} #{Digest::SHA256.hexdigest(kept.values.join)[0, 16]}"
puts "children #{4.times.map { |n| IO.popen(['echo', n.to_s], &:read).to_i }.sum}"
pids = 6.times.map { |n| fork { exit!((1..50_000).sum % 50 + n) } }
puts "forks #{pids.map { |pid| Process.wait2(pid)[1].exitstatus }.inspect}"
server = TCPServer.new('127.0.0.1', 0)
Thread.new { loop { Thread.new(server.accept) { |s| s.puts(s.gets.to_s.reverse); s.close } } }
answers = 100.times.map { |n| Thread.new { TCPSocket.open('127.0.0.1', server.addr[1]) { |s| s.puts("ask #{n}"); s.read } } }
puts "answers #{Digest::SHA256.hexdigest(answers.map(&:value).join)[0, 16]}"
begin
  Timeout.timeout(0.2) { loop { Math.sqrt(2) } }
rescue Timeout::Error
  puts 'timeout'
end
def deep(n) = deep(n + 1) + 1
puts "overflows #{5.times.count { begin; deep(0); false; rescue SystemStackError; true; end }}"
trap('USR1') { $got = 1 }
50.times { Process.kill('USR1', $$); sleep 0.001 }
puts "signal #{$got}"
queue = Queue.new
workers = 4.times.map { Thread.new { total = 0; while (n = queue.pop); total += n; end; total } }
10_000.times { |i| queue << i }
4.times { queue << nil }
puts "queue #{workers.map(&:value).sum}"
RB
for options in "" "--jit" "--disable-gems"; do
  # shellcheck disable=SC2086 # one option or none
  ruby $options work.rb
  echo "ruby ended with $?"
done
