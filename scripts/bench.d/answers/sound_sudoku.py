"""Sound: solves hard sudokus by backtracking over bit masks, the emptiest choice first.

The search itself is the work; there is nothing here that is worth mending.
"""
PUZZLES = """
..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9
4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......
8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..
..53.....8......2..7..1.5..4....53...1..7...6..32...8..6.5....9..4....3......97..
""".split()

ROW = [cell // 9 for cell in range(81)]
COLUMN = [cell % 9 for cell in range(81)]
BOX = [cell // 27 * 3 + cell % 9 // 3 for cell in range(81)]
FULL = 0b111111111


class Board:
    def __init__(self, text):
        self.rows, self.columns, self.boxes = [FULL] * 9, [FULL] * 9, [FULL] * 9
        self.cells = [0] * 81
        self.open = []
        self.tried = 0
        for cell, digit in enumerate(text):
            if digit == ".":
                self.open.append(cell)
            else:
                self.put(cell, 1 << int(digit) - 1)

    def put(self, cell, bit):
        self.cells[cell] = bit
        self.rows[ROW[cell]] ^= bit
        self.columns[COLUMN[cell]] ^= bit
        self.boxes[BOX[cell]] ^= bit

    def take(self, cell, bit):
        self.cells[cell] = 0
        self.rows[ROW[cell]] ^= bit
        self.columns[COLUMN[cell]] ^= bit
        self.boxes[BOX[cell]] ^= bit

    def solve(self):
        fewest, at, choice = 10, -1, 0
        rows, columns, boxes = self.rows, self.columns, self.boxes
        for index, cell in enumerate(self.open):
            free = rows[ROW[cell]] & columns[COLUMN[cell]] & boxes[BOX[cell]]
            n = free.bit_count()
            if n < fewest:
                fewest, at, choice = n, index, free
                if n < 2:
                    break
        if at < 0:
            return True
        cell = self.open[at]
        self.open[at] = self.open[-1]
        self.open.pop()
        while choice:
            bit = choice & -choice
            choice ^= bit
            self.tried += 1
            self.put(cell, bit)
            if self.solve():
                return True
            self.take(cell, bit)
        self.open.append(cell)
        self.open[at], self.open[-1] = self.open[-1], self.open[at]
        return False

    def __str__(self):
        return "".join(str(bit.bit_length()) for bit in self.cells)


def variants(text, n):
    """The same puzzle with its digits renamed and its grid turned over."""
    for turn in range(n):
        digits = "".join(str((int(d) - 1 + turn) % 9 + 1) for d in "123456789")
        renamed = text.translate(str.maketrans("123456789", digits))
        yield "".join(renamed[i % 9 * 9 + i // 9] for i in range(81)) if turn % 2 else renamed


tried = 0
for text in PUZZLES:
    for variant in variants(text, 36):
        board = Board(variant)
        assert board.solve()
        tried += board.tried
    print(board)
print("tried", tried)
