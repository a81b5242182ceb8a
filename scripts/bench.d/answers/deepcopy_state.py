"""Keeps a history of a board by copying all of it."""
import copy
import time

board = [[{"piece": None, "marks": [0] * 4} for _ in range(30)] for _ in range(30)]
history = []
spent = 0.0
for move in range(240):
    board[move % 30][move % 30]["piece"] = move
    began = time.perf_counter()
    history.append(copy.deepcopy(board))  # FAULT deepcopy
    spent += time.perf_counter() - began
    history = history[-3:]
print("truth", spent)
