"""The dice of rollouts once more, written from their definition: slow, and with a generator of its own."""

from __future__ import annotations

from collections.abc import Iterator


def mersenne_twister(seed: int) -> Iterator[int]:
    """MT19937 (Matsumoto and Nishimura, 1998), 32 bits at a time."""
    state = [seed & 0xFFFFFFFF]
    for i in range(1, 624):
        state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + i) & 0xFFFFFFFF)
    while True:
        for i in range(624):
            y = (state[i] & 0x80000000) | (state[(i + 1) % 624] & 0x7FFFFFFF)
            state[i] = state[(i + 397) % 624] ^ (y >> 1) ^ (0x9908B0DF if y & 1 else 0)
        for word in state:
            y = word ^ (word >> 11)
            y ^= (y << 7) & 0x9D2C5680
            y ^= (y << 15) & 0xEFC60000
            yield y ^ (y >> 18)


class PlainDice:
    """Six levels of permutations of the 36 rolls for each of 128 half-moves."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        random = mersenne_twister(seed)
        self.permutations: dict[tuple[int, int], list[int]] = {}
        for level in range(6):
            for turn in range(level, 128):
                order = list(range(36))
                for k in range(35):
                    other = k + next(random) % (36 - k)
                    order[k], order[other] = order[other], order[k]
                self.permutations[level, turn] = order

    def roll(self, trial: int, half_move: int) -> tuple[int, int]:
        j = 0
        for level in range(min(5, half_move) + 1):
            j = self.permutations[level, half_move][(trial // 36**level + j) % 36]
        return j // 6 + 1, j % 6 + 1
