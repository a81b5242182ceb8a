"""A bot that measures boards: four runners take the jobs from a queue and call the measuring tool for each.

What is wrong: the runners are coroutines but call the tool with subprocess.run, which blocks the event loop; so only one
tool runs at a time, and three of four runners have no effect.
First screen should say: the event loop's thread is blocked in subprocess.run (communicate/waitpid) called from the
coroutine Bot.measure almost all the time; nothing else of the loop runs meanwhile.
Mend: await asyncio.create_subprocess_exec(...) and communicate().
"""
import asyncio
import subprocess
import time

RUNNERS = 4
BOARDS = 36
TOOL = "sleep 0.08; echo board=$1 volts=$((($1 * 7919) % 400 + 1000)) amps=$((($1 * 31) % 90))"


class Bot:
    def __init__(self):
        self.jobs = asyncio.Queue()
        self.results = {}
        self.spent = 0.0

    async def measure(self, board):
        command = ["sh", "-c", TOOL, "tool", str(board)]
        began = time.perf_counter()
        output = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout  # FAULT event-loop-blocked
        self.spent += time.perf_counter() - began
        return self.parse(output.decode())

    @staticmethod
    def parse(text):
        fields = dict(word.split("=") for word in text.split())
        return int(fields["board"]), int(fields["volts"]) / 100, int(fields["amps"]) / 10

    async def runner(self):
        while True:
            board = await self.jobs.get()
            try:
                number, volts, amps = await self.measure(board)
                self.results[number] = volts * amps
            finally:
                self.jobs.task_done()

    async def run(self):
        for board in range(BOARDS):
            self.jobs.put_nowait(board)
        runners = [asyncio.create_task(self.runner(), name="runner-%d" % i) for i in range(RUNNERS)]
        await self.jobs.join()
        for task in runners:
            task.cancel()
        await asyncio.gather(*runners, return_exceptions=True)


def report(results):
    watts = sorted(results.items(), key=lambda item: (-item[1], item[0]))
    for number, value in watts[:5]:
        print("board %2d %6.2f W" % (number, value))
    print("boards", len(watts), "all %.2f W" % sum(value for _, value in watts))


def main():
    bot = Bot()
    asyncio.run(bot.run())
    report(bot.results)
    print("truth %.3f" % (bot.spent * (1 - 1 / RUNNERS)))


main()
