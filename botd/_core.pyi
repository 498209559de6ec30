from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path

from typing_extensions import Buffer

__version__: str

# core_cpp/common and the errors of every layer
class DataError(ValueError):
    """A data file (weights, database, table) is missing or damaged; names file, place, expectation."""

class UnsupportedGame(ValueError):
    """A kind of game that an evaluator knows nothing about; the message says which it knows."""

def cpu_paths() -> list[str]:
    """Kernels this machine can run, slowest first: `plain`, then `avx2`, `avx512` where there."""

# core_cpp/rules; boards and steps as in botd.engine.types, every error a ValueError.
def legal_plays(
    board: Sequence[int], die1: int, die2: int
) -> list[tuple[tuple[tuple[int, int], ...], tuple[int, ...]]]: ...
def legal_boards_batch(boards: Buffer, dice: Buffer) -> tuple[memoryview, memoryview]:
    """See botd.engine.rules.legal_boards_batch."""

def perft(board: Sequence[int], depth: int) -> tuple[int, int]: ...
def position_id(board: Sequence[int]) -> str: ...
def board_from_position_id(text: str) -> tuple[int, ...]: ...
def check_board(board: Sequence[int]) -> None: ...
def mirrored(board: Sequence[int]) -> tuple[int, ...]: ...
def pips(board: Sequence[int]) -> tuple[int, int]: ...
def borne_off(board: Sequence[int]) -> tuple[int, int]: ...
def is_race(board: Sequence[int]) -> bool: ...
def is_bearoff(board: Sequence[int]) -> bool: ...
def game_result(board: Sequence[int]) -> int: ...

# core_cpp/nets: botd.engine.network_file explains them.
LARGEST_NETWORK_FILE: int

def parse_network(
    content: bytes, name: str
) -> tuple[str, str, list[tuple[int, int, bytes, bytes]], str, str]: ...
def read_network(
    path: str | PathLike[str],
) -> tuple[str, str, list[tuple[int, int, bytes, bytes]], str, str]: ...

# search
class MoveFilter:
    """Stages are (accept, extra, threshold); see botd.engine.settings. Errors are ValueErrors."""

    def __init__(self, rows: Sequence[Sequence[tuple[int, int, float]]]) -> None: ...
    @staticmethod
    def named(name: str, table: str) -> MoveFilter:
        """gnubg's filter of this name in its table `A` (1.07) or `B` (1.08)."""
    def stages(self, ply: int) -> list[tuple[int, int, float]]: ...

def move_filter_names() -> list[str]: ...

class DeadlineExceeded(TimeoutError): ...

class MatchEquityTable:
    def __init__(
        self,
        pre_crawford: list[list[float]],
        post_crawford: list[float],
        *,
        derive_last_post_crawford: bool = False,
        post_crawford_1: list[float] = ...,
    ) -> None: ...
    @property
    def explicit_length(self) -> int: ...
    @property
    def symmetric(self) -> bool: ...
    def chances(self, away: int, opponent_away: int, post_crawford: bool, seat: int = 0) -> float: ...

class CubeState:
    def __init__(
        self,
        value: int,
        owner: str,
        own_away: int = 0,
        opponent_away: int = 0,
        *,
        crawford: bool = False,
        jacoby: bool = False,
        beavers: bool = False,
        max_value: int = 0,
        scoring: str = "standard",
        seat: int = 0,
    ) -> None: ...
    def other_side(self) -> CubeState: ...
    @property
    def may_double(self) -> bool: ...

def cube_state(context: object) -> CubeState:
    """Of a botd.engine.types.GameContext. Raises ValueError saying what is impossible about it."""

def notation(board: Sequence[int], steps: Sequence[tuple[int, int]]) -> str:
    """gnubg's notation of a play of at most four steps."""

class PlayRanking:
    """The ranked plays of one roll, best first; places count from 0."""

    def __len__(self) -> int: ...
    @property
    def legal_count(self) -> int:
        """Distinct results; 0 for a dance, which is one play without steps."""
    @property
    def ply(self) -> int: ...
    @property
    def source(self) -> str:
        """`search`, `bearoff` or `forced`."""
    def value(self, place: int) -> tuple[float, float | None, int]:
        """Equity, cubeless equity in money points (None: unknown), plies searched."""
    def probabilities(self, place: int) -> tuple[float, float, float, float, float] | None: ...
    def play(self, place: int) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...], str]:
        """Steps, resulting board, notation."""
    def packed(self) -> bytes: ...
    @staticmethod
    def unpacked(bytes: bytes) -> PlayRanking:
        """Raises ValueError for anything that `packed` has not made."""

class SageSettings:
    """How Sage searches, but for the depth; by default exact, without noise, on the caller's thread."""

    def __init__(
        self, *, filter: MoveFilter = ..., noise: float = 0.0, noise_seed: int = 0, threads: int = 1
    ) -> None: ...

class RankedBoard:
    @property
    def ply(self) -> int: ...
    @property
    def board(self) -> tuple[int, ...]: ...
    @property
    def equity(self) -> float: ...
    @property
    def cubeless_equity(self) -> float: ...
    @property
    def probabilities(self) -> tuple[float, float, float, float, float]: ...

class CubeEquities:
    @property
    def no_double(self) -> float: ...
    @property
    def double_take(self) -> float: ...
    @property
    def double_pass(self) -> float: ...
    @property
    def optimal(self) -> float: ...
    @property
    def available(self) -> bool: ...
    @property
    def doubles(self) -> bool: ...
    @property
    def takes(self) -> bool: ...
    @property
    def beavers(self) -> bool: ...
    @property
    def cubeless_equity(self) -> float: ...
    @property
    def probabilities(self) -> tuple[float, float, float, float, float]: ...

class PositionValue:
    @property
    def cubeless_equity(self) -> float: ...
    @property
    def equity_at_score(self) -> float: ...
    @property
    def probabilities(self) -> tuple[float, float, float, float, float]: ...

class SageSearch:
    def __init__(
        self, models: Path, bearoff: Path, cpu_path: str | None, table: MatchEquityTable
    ) -> None: ...
    @property
    def cpu_path(self) -> str: ...
    @property
    def files(self) -> list[Path]: ...
    def rank_plays(
        self,
        board: tuple[int, ...],
        state: CubeState,
        die1: int,
        die2: int,
        ply: int,
        deadline_s: float | None = None,
        settings: SageSettings = ...,
    ) -> list[RankedBoard]: ...
    def choose_play(
        self,
        board: Iterable[int],
        context: object,
        dice: Iterable[int],
        ply: int,
        deadline_s: float | None = None,
        settings: SageSettings = ...,
    ) -> PlayRanking: ...
    def cube_action(
        self,
        board: tuple[int, ...],
        state: CubeState,
        ply: int,
        deadline_s: float | None = None,
        settings: SageSettings = ...,
    ) -> CubeEquities: ...
    def evaluate(
        self,
        board: tuple[int, ...],
        state: CubeState,
        ply: int,
        deadline_s: float | None = None,
        settings: SageSettings = ...,
    ) -> PositionValue: ...
    def result_equity(self, state: CubeState, points: int) -> float: ...
    def certain_loss(self, board: tuple[int, ...], state: CubeState) -> int: ...

# core_cpp/rollout: botd.engine.rollout explains it.
class RolloutSettings:
    def __init__(
        self,
        *,
        truncate: int,
        play_ply: int,
        late_ply: int,
        late_from: int | None,
        cubeless_from: int | None,
        cube_ply: int,
        truncation_ply: int,
        seed: int,
        batch: int,
        first_roll_luck: bool,
    ) -> None: ...

class RolloutSums:
    """What games add up to, exactly: their order and division do not matter."""

    def __init__(self) -> None: ...
    @staticmethod
    def restored(
        *,
        evaluator: str,
        board: tuple[int, ...],
        state: CubeState,
        settings: RolloutSettings,
        ranges: Sequence[tuple[int, int]],
        values: bytes,
        passed: int,
        chances: Sequence[tuple[int, int]],
    ) -> RolloutSums:
        """From what the properties of the same names said. Raises ValueError, TypeError."""
    @property
    def trials(self) -> int: ...
    @property
    def passed(self) -> int: ...
    @property
    def ranges(self) -> list[tuple[int, int]]:
        """First number and count of consecutive games, in order; none touches another."""
    @property
    def values(self) -> bytes:
        """Of every game in order two little-endian 64-bit numbers, in units of 2^-40."""
    @property
    def chances(self) -> list[tuple[int, int]]:
        """Sum and squares of five probabilities and the equity; each a signed high and a low 64-bit word."""
    def add(self, other: RolloutSums) -> None:
        """Raises ValueError for games of another evaluator, position or settings, or counted already."""
    def __eq__(self, other: object) -> bool: ...

class RolloutResult:
    @property
    def trials(self) -> int: ...
    @property
    def cube(self) -> CubeEquities: ...
    @property
    def no_double_error(self) -> float: ...
    @property
    def double_take_error(self) -> float: ...
    @property
    def cubeless_equity_error(self) -> float: ...
    @property
    def probability_errors(self) -> tuple[float, float, float, float, float]: ...
    @property
    def weights(self) -> list[float]:
        """What the two values of a game are multiplied by in the equities, up to a constant."""

def rollout_difference_error(
    one: RolloutSums, weights: Sequence[float], other: RolloutSums, other_weights: Sequence[float]
) -> float:
    """Standard error of the difference of two means, from the games that both have."""

class Rollout:
    """One position's games, known by their numbers. For any thread."""

    def __init__(
        self,
        search: SageSearch,
        board: tuple[int, ...],
        state: CubeState,
        settings: RolloutSettings,
        *,
        evaluator: str,
        threads: int = 1,
        deadline_s: float | None = None,
    ) -> None: ...
    def run(
        self, first_trial: int, count: int, *, threads: int = 1, deadline_s: float | None = None
    ) -> RolloutSums: ...
    def result(self, sums: RolloutSums) -> RolloutResult: ...

def rollout_candidates(
    search: SageSearch,
    board: tuple[int, ...],
    state: CubeState,
    die1: int,
    die2: int,
    *,
    searched: bool,
    threads: int = 1,
    deadline_s: float | None = None,
) -> list[RankedBoard]: ...
def rollout_roll(seed: int, trial: int, half_move: int) -> tuple[int, int]:
    """Dice of a game at a half-move, counted from 0."""

class SageEvaluator:
    """Static values of post-move boards, seen by the side that has just moved. Immutable, for any thread."""

    @staticmethod
    def load(
        models_dir: str | PathLike[str],
        bearoff_db: str | PathLike[str] | None = None,
        cpu_path: str | None = None,
    ) -> SageEvaluator:
        """Raises DataError for a missing or damaged file, ValueError for an unusable `cpu_path`."""
    @property
    def cpu_path(self) -> str: ...
    @property
    def files(self) -> list[Path]: ...
    def route(self, board: Sequence[int]) -> int:
        """Index 0..23 of the network for a board."""
    def evaluate_raw(
        self, boards: Sequence[Sequence[int]], network: int, base: Sequence[int] | None = None
    ) -> list[tuple[float, float, float, float, float]]:
        """Outputs of one network without any correction. `base` is a position near all boards: faster, same
        values up to float rounding. Raises IndexError for a network outside 0..23."""
    def evaluate_batch(self, boards: Buffer) -> memoryview:
        """Values of boards that have nothing to do with each other, each by its own network, or exactly if it
        is finished or in the bear-off database: float32 of shape (n, 5), the columns as in evaluate_raw.
        `boards` is an int8 buffer of shape (n, 26), such as a numpy array. Raises ValueError for anything
        else and for an impossible board, naming its row."""
    def evaluate_plays(self, boards: Buffer, dice: Buffer) -> tuple[memoryview, memoryview, memoryview]:
        """(results, offsets, values): the legal boards of every roll, as botd.engine.rules.legal_boards_batch
        gives them, and their 0-ply values as in checker play: by the network of the board before the roll.
        `values` is float32 of shape (m, 5), a row for each of `results`, seen by the side that has moved.
        Raises ValueError as legal_boards_batch does."""
    def covered(self, board: Sequence[int]) -> bool: ...
    def bearoff_post_move(self, board: Sequence[int]) -> tuple[float, float, float, float, float]:
        """Exact, the opponent to roll. Raises ValueError if the board is not covered."""
    def bearoff_pre_roll(self, board: Sequence[int]) -> tuple[float, float, float, float, float]:
        """Exact, the own side to roll. Raises ValueError if the board is not covered."""

def sage_plans(board: Sequence[int]) -> tuple[str, str]:
    """Own and opposing game plan."""

def sage_regions(board: Sequence[int]) -> dict[str, bool | str]:
    """`snake`, `containment`, `massive`, `backgame_category`, `phase`."""

def sage_features(board: Sequence[int]) -> tuple[list[float], list[float]]:
    """The 26 hand-made network inputs of the own and of the opposing side of a contact position."""

def sage_clamped(
    probabilities: Sequence[float], board: Sequence[int]
) -> tuple[float, float, float, float, float]:
    """The probabilities with outcomes that are impossible on the board set to zero."""

def sage_nested(probabilities: Sequence[float]) -> tuple[float, float, float, float, float]:
    """The probabilities made consistent for display: win_gammon <= win and so on, by lowering."""

def sage_pubeval(board: Sequence[int], race_weights: bool) -> float:
    """Tesauro's linear evaluator, for ordering only."""

def gnubg_legal_boards(board: Sequence[int], die1: int, die2: int) -> list[tuple[int, ...]]:
    """The results of a roll in gnubg's order, which depends on the order of the dice; empty for a dance."""

class GnubgCubeValue:
    """gnubg's worth of a position with a cube; "native" is points per unit of the cube in money play, match
    winning chances in a match, seen by the own side of the state."""

    def __init__(self, state: CubeState, table: MatchEquityTable) -> None: ...
    @property
    def gammon_prices(self) -> tuple[float, float, float, float]:
        """Own gammon and backgammon, the opponent's gammon and backgammon."""
    @property
    def double_pass(self) -> float: ...
    def utility(self, probabilities: Sequence[float]) -> float: ...
    def value(self, probabilities: Sequence[float], efficiency: float) -> float: ...
    def equity(self, native: float) -> float: ...
    def native(self, equity: float) -> float: ...

# Bear-off databases: botd.engine.bearoff explains them.
BEAROFF_MAX_POINTS: int

def bearoff_position_count(points: int, checkers: int) -> int: ...
def bearoff_position_index(counts: Sequence[int]) -> int: ...
def bearoff_counts(index: int, points: int) -> list[int]: ...

class OneSidedDatabase:
    def __init__(self, path: str | PathLike[str]) -> None: ...
    @property
    def path(self) -> Path: ...
    @property
    def points(self) -> int: ...
    @property
    def checkers(self) -> int: ...
    @property
    def has_gammons(self) -> bool: ...
    @property
    def gammons(self) -> bool: ...
    @property
    def compressed(self) -> bool: ...
    @property
    def normal(self) -> bool: ...
    @property
    def positions(self) -> int: ...
    def all_off(self, index: int) -> list[int]: ...
    def first_off(self, index: int) -> list[int]: ...

class TwoSidedDatabase:
    def __init__(self, path: str | PathLike[str]) -> None: ...
    @property
    def path(self) -> Path: ...
    @property
    def points(self) -> int: ...
    @property
    def checkers(self) -> int: ...
    @property
    def cubeful(self) -> bool: ...
    @property
    def positions(self) -> int: ...
    def equities(self, own: int, opponent: int) -> tuple[float, float, float, float]: ...

class BearoffDatabases:
    def __init__(
        self, one_sided: str | PathLike[str] | None = None, two_sided: str | PathLike[str] | None = None
    ) -> None: ...
    @property
    def files(self) -> list[Path]: ...
    def covers(self, board: Sequence[int]) -> tuple[bool, bool]: ...
    def on_roll(self, board: Sequence[int]) -> tuple[float, float, float, float, float] | None: ...
    def money(self, board: Sequence[int]) -> tuple[float, float, float, float] | None: ...

def bearoff_shape(
    path: str | PathLike[str],
) -> tuple[str, int, int, bool, bool, bool] | tuple[str, int, int, bool]: ...
def bearoff_is_standard(path: str | PathLike[str]) -> bool: ...
def bearoff_first_difference(
    path: str | PathLike[str], threads: int = 1, progress: Callable[[float], None] | None = None
) -> int | None: ...
def generate_one_sided(
    path: str | PathLike[str],
    points: int = 6,
    checkers: int = 15,
    gammons: bool = True,
    compressed: bool = True,
    threads: int = 1,
    progress: Callable[[float], None] | None = None,
) -> None: ...
def generate_two_sided(
    path: str | PathLike[str],
    points: int = 6,
    checkers: int = 6,
    cubeful: bool = True,
    threads: int = 1,
    progress: Callable[[float], None] | None = None,
) -> None: ...

class GnubgEvaluator:
    """Static values in gnubg's way, of boards seen by the side on roll. Immutable, for any thread."""

    @staticmethod
    def load(
        weights: str | PathLike[str],
        one_sided: str | PathLike[str] | None = None,
        two_sided: str | PathLike[str] | None = None,
        *,
        profile: str | None = None,
        division: str = "exact",
        cpu_path: str | None = None,
    ) -> GnubgEvaluator:
        """`profile`: `A` (gnubg 1.07) or `B` (1.08), by default that of the weights' version. `division`:
        `exact` or `reciprocal`. Raises DataError for a missing or damaged file, ValueError for an unusable
        argument."""
    @property
    def profile(self) -> str: ...
    @property
    def division(self) -> str: ...
    @property
    def cpu_path(self) -> str: ...
    @property
    def weights_version(self) -> str: ...
    @property
    def files(self) -> list[Path]: ...
    def classify(self, board: Sequence[int]) -> str:
        """`over`, `two_sided`, `one_sided`, `race`, `crashed` or `contact`."""
    def evaluate(self, boards: Sequence[Sequence[int]]) -> list[tuple[float, float, float, float, float]]:
        """Outcome probabilities: win, win gammon, win backgammon, lose gammon, lose backgammon."""
    def evaluate_batch(self, boards: Buffer) -> memoryview:
        """The same of whole arrays: float32 of shape (n, 5). `boards` is an int8 buffer of shape (n, 26), for
        example a numpy array. Raises ValueError for anything else and for an impossible board."""
    def noisy(
        self, board: Sequence[int], noise: float, *, seed: int | None = None, signed_bytes: bool = False
    ) -> tuple[float, float, float, float, float]:
        """With noise of standard deviation `noise`: drawn from the position, or from position and seed.
        `signed_bytes`: as gnubg 1.07 on x86-64 draws it. Raises ValueError for noise outside 0..1."""
    def prune_value(self, board: Sequence[int]) -> tuple[float, float, float, float, float]:
        """By the small network that preselects plays. Raises ValueError for other classes than race, crashed
        and contact."""
    def two_sided(self, board: Sequence[int]) -> tuple[float, float, float, float]:
        """Exact money equities: cubeless, with the cube owned, centred, and the opponent's. Raises ValueError
        for other classes than two_sided."""
    def inputs(self, board: Sequence[int]) -> list[float]:
        """All 214 inputs of the race network or 250 of another. Raises ValueError if the game is over."""
    def network_outputs(self, board: Sequence[int]) -> tuple[float, float, float, float, float]:
        """Of the race, crashed or contact network, uncorrected. Raises ValueError if the game is over."""
    def pruning_outputs(self, board: Sequence[int]) -> tuple[float, float, float, float, float]:
        """The same of the small network that preselects plays."""

def gnubg_clearing_rolls(checkers: Sequence[int]) -> list[int]:
    """36^k times the chance that checkers 1 to 5 pips before the way out leave in exactly k = 1..5 rolls."""

def escape_rolls(mask: int) -> tuple[int, int]:
    """Rolls past blocked points, and past the first of them; bit j: the point j + 1 pips ahead is blocked."""

class GnubgRankedPlay:
    @property
    def board(self) -> tuple[int, ...]: ...
    @property
    def equity(self) -> float: ...
    @property
    def cubeless_equity(self) -> float: ...
    @property
    def probabilities(self) -> tuple[float, float, float, float, float]: ...
    @property
    def ply(self) -> int: ...

class GnubgCubeEquities:
    @property
    def no_double(self) -> float: ...
    @property
    def double_take(self) -> float: ...
    @property
    def double_pass(self) -> float: ...
    @property
    def optimal(self) -> float: ...
    @property
    def available(self) -> bool: ...
    @property
    def cubeless_equity(self) -> float: ...
    @property
    def probabilities(self) -> tuple[float, float, float, float, float]: ...

class GnubgPositionValue:
    @property
    def cubeless_equity(self) -> float: ...
    @property
    def equity_at_score(self) -> float: ...
    @property
    def cubeful_equity(self) -> float: ...
    @property
    def probabilities(self) -> tuple[float, float, float, float, float]: ...

class GnubgRollLuck:
    @property
    def equity(self) -> float: ...
    @property
    def average(self) -> float: ...
    @property
    def luck(self) -> float: ...
    @property
    def gain(self) -> float: ...

class GnubgSearch:
    """gnubg's decisions with one set of settings. Immutable, for any thread."""

    def __init__(
        self,
        evaluator: GnubgEvaluator,
        table: MatchEquityTable,
        *,
        profile: str,
        filter: MoveFilter,
        prune: bool = True,
        cubeful: bool = True,
        noise: float = 0.0,
        noise_seed: int | None = None,
        signed_noise: bool | None = None,
        threads: int = 1,
    ) -> None:
        """profile: whose cube efficiencies and choice rules; the evaluator may be of the other one.
        signed_noise: whether noise drawn from a position reads bytes as signed; by default as the profile's
        usual builds do."""
    def rank_plays(
        self,
        board: Sequence[int],
        state: CubeState,
        die1: int,
        die2: int,
        ply: int,
        deadline_s: float | None = None,
    ) -> list[GnubgRankedPlay]: ...
    def choose_play(
        self,
        board: Iterable[int],
        context: object,
        dice: Iterable[int],
        ply: int,
        deadline_s: float | None = None,
    ) -> PlayRanking: ...
    def assess_play(
        self,
        board: Iterable[int],
        context: object,
        dice: Iterable[int],
        played: Iterable[int],
        ply: int,
        deadline_s: float | None = None,
    ) -> PlayRanking: ...
    def cube_action(
        self, board: Sequence[int], state: CubeState, ply: int, deadline_s: float | None = None
    ) -> GnubgCubeEquities: ...
    def evaluate(
        self, board: Sequence[int], state: CubeState, ply: int, deadline_s: float | None = None
    ) -> GnubgPositionValue: ...
    def luck(
        self, board: Sequence[int], state: CubeState, die1: int, die2: int, deadline_s: float | None = None
    ) -> GnubgRollLuck: ...
    def certain_loss(self, board: Sequence[int], state: CubeState) -> int: ...
    def utility(self, board: Sequence[int], state: CubeState) -> float: ...
    def result_utility(self, state: CubeState, points: int) -> float: ...

# Rough network of the fast search and its training: botd.training explains them. Arrays travel as bytes.
PRUNE_ENCODING: str
PRUNE_INPUTS: int
PRUNE_MAX_HIDDEN: int

def prune_inputs(boards: bytes) -> bytes:
    """PRUNE_INPUTS float32 for each board of 26 int8. Raises ValueError for an impossible board."""

class PruneNet:
    """Ranks the plays of a roll, cheaply. Immutable, for any thread."""

    @staticmethod
    def load(file: str | PathLike[str], cpu_path: str | None = None) -> PruneNet:
        """Raises DataError for a missing or damaged file, ValueError for an unusable `cpu_path`."""
    @property
    def cpu_path(self) -> str: ...
    @property
    def hidden(self) -> int: ...
    def evaluate(self, boards: bytes, unmoved: bytes, sizes: Sequence[int]) -> bytes:
        """Rough cubeless money equities, float32, of sets of siblings, seen by the side that has moved.

        sizes: how many boards come from each unmoved one. Raises ValueError for impossible boards or
        sizes."""

def sage_sibling_sets(evaluator: SageEvaluator, seed: int, sets: int) -> dict[str, bytes]:
    """Keys as the fields of botd.training.teacher.SiblingSets, `size` for `sizes`, which is uint16."""

# core_cpp/puretd: botd.engine.puretd_engine explains it.
PURETD_MAX_PLY: int

def dense_kernels() -> list[str]:
    """Loops for dense networks that this machine can run, slowest first: `plain`, `avx2`, `avx512`,
    `avx512vnni`."""

def puretd_inputs(board: Sequence[int]) -> list[float]:
    """The 196 inputs of a board seen by the side to play."""

class PuretdCubeEquities:
    @property
    def no_double(self) -> float: ...
    @property
    def double_take(self) -> float: ...
    @property
    def available(self) -> bool: ...
    @property
    def doubles(self) -> bool: ...
    @property
    def takes(self) -> bool: ...
    @property
    def optimal(self) -> float: ...

def puretd_decided(no_double: float, double_take: float, state: CubeState) -> PuretdCubeEquities:
    """What follows from the equities, a pass being worth 1, by PureTD's rules."""

class PuretdEvaluator:
    """A network that values positions by itself, and decisions by it. Boards are seen by the side to play;
    the state is money play's. Immutable, for any thread."""

    @staticmethod
    def load(
        path: str | PathLike[str], *, kernels: str | None = None, arithmetic: str = "float"
    ) -> PuretdEvaluator:
        """`kernels`: one of dense_kernels(); `arithmetic`: `float` or `int16`. Raises DataError for a missing
        or damaged file or one of another kind, ValueError for an unusable argument."""
    @property
    def kind(self) -> str: ...
    @property
    def kernels(self) -> str: ...
    @property
    def path(self) -> Path: ...
    @property
    def source(self) -> str: ...
    @property
    def licence(self) -> str: ...
    @property
    def memory(self) -> int:
        """Bytes of the weights."""
    def outputs(
        self, boards: Sequence[Sequence[int]], cube: str = "centered", cube_moment: bool = False
    ) -> list[tuple[float, ...]]:
        """The network's own outputs. `cube_moment`: the side to play may double and has not decided yet."""
    def rank_plays(
        self,
        board: Sequence[int],
        state: CubeState,
        die1: int,
        die2: int,
        ply: int,
        deadline_s: float | None = None,
    ) -> list[tuple[tuple[int, ...], float, tuple[float, float, float, float, float] | None, int]]:
        """Result, equity, probabilities and depth of every play, best first."""
    def cube_action(
        self, board: Sequence[int], state: CubeState, ply: int, deadline_s: float | None = None
    ) -> PuretdCubeEquities: ...
    def before_roll(
        self, board: Sequence[int], state: CubeState, ply: int, deadline_s: float | None = None
    ) -> float: ...
    def probabilities(
        self, board: Sequence[int], ply: int, deadline_s: float | None = None
    ) -> tuple[float, float, float, float, float] | None: ...
    def result_equity(self, state: CubeState, points: int) -> float: ...
    def certain_loss(self, board: Sequence[int], state: CubeState) -> int: ...

# fast
class CancelToken:
    """Stops searches from another thread."""

    def __init__(self) -> None: ...
    def cancel(self) -> None: ...
    @property
    def cancelled(self) -> bool: ...

class FastSettings:
    """See botd.engine.fast_engine; a filter stands in the place of the narrowing."""

    def __init__(
        self,
        *,
        narrowing: Sequence[tuple[int, float]],
        filter: MoveFilter | None,
        prune: bool,
        least: int,
        most: int,
        margin: float,
        recheck: float,
        cache_bytes: int,
        threads: int,
    ) -> None: ...

class FastSearch:
    """Answers come with their depth in plies: fewer than asked for if time was over or the token said so."""

    @staticmethod
    def over_sage(
        search: SageSearch,
        rough: PruneNet,
        settings: FastSettings,
        *,
        noise: float = 0.0,
        noise_seed: int = 0,
    ) -> FastSearch: ...
    @staticmethod
    def over_gnubg(
        evaluator: GnubgEvaluator,
        table: MatchEquityTable,
        rough: PruneNet,
        settings: FastSettings,
        *,
        noise: float = 0.0,
        noise_seed: int | None = None,
    ) -> FastSearch: ...
    @staticmethod
    def over_puretd(
        evaluator: PuretdEvaluator, table: MatchEquityTable, rough: PruneNet, settings: FastSettings
    ) -> FastSearch:
        """Raises UnsupportedGame for a network of another kind than cubeful_equity."""
    @property
    def has_probabilities(self) -> bool:
        """False: probabilities and cubeless equities in answers mean nothing."""
    def choose_play(
        self,
        board: Iterable[int],
        context: object,
        dice: Iterable[int],
        ply: int,
        deadline_s: float | None = None,
        cancel: CancelToken | None = None,
    ) -> PlayRanking: ...
    def cube_action(
        self,
        board: Iterable[int],
        context: object,
        ply: int,
        deadline_s: float | None = None,
        cancel: CancelToken | None = None,
    ) -> tuple[CubeEquities, int]: ...
    def best_plays(
        self, boards: Buffer, context: object, dice: Buffer, ply: int
    ) -> tuple[memoryview, memoryview]:
        """Boards int8 (n, 26) and equities float64 (n,)."""
    def cube_actions(self, boards: Buffer, context: object, ply: int) -> tuple[memoryview, memoryview]:
        """Equities float64 (n, 4): no double, double/take, double/pass, optimal; and uint8 (n, 3): doubles,
        takes, beavers."""
    def evaluate(
        self,
        board: Iterable[int],
        context: object,
        ply: int,
        deadline_s: float | None = None,
        cancel: CancelToken | None = None,
    ) -> tuple[PositionValue, int]: ...
