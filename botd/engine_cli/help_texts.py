"""What `botd-engine --help` says about each command."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

STATUS_HELP = """\
exit status:
  0  answered
  1  standard input or output failed, a worker process ended, or a comparison failed
  2  bad arguments, or an undecodable or illegal position
  3  data files missing or damaged
  4  a combination that the evaluator does not support
"""

POSITION_HELP = (
    "Positions are GNU Backgammon's POSITION_ID and MATCH_ID, or one XGID (with XGID= in front) in place of "
    "both. Dice are taken from the arguments, else from the identifier. Everything is seen by the player on "
    "roll; equities are points for a cube at 1, in a match normalised so that losing or winning the cube's "
    "value are -1 and +1."
)
WIDTH = 100


@dataclass(frozen=True, slots=True)
class CommandHelp:
    summary: str
    arguments: str
    details: str
    example: str = ""
    positions: bool = True
    """Explain identifiers and perspective."""

    def epilog(self) -> str:
        paragraphs = [self.details, *([POSITION_HELP] if self.positions else [])]
        parts = [textwrap.fill(text, WIDTH) for text in paragraphs]
        if self.example:
            parts.append(f"example: {self.example}")
        return "\n\n".join([*parts, STATUS_HELP])


_START = "4HPwATDgc/ABMA cAkAAAAAAAAA"
_BATCH_LINE = '{"op": "legal", "position_id": "4HPwATDgc/ABMA", "dice": [3, 1]}'
COMMAND_HELP = {
    "reference": CommandHelp(
        "evaluate a position and rank its plays or judge its cube",
        "POSITION_ID MATCH_ID [DIE DIE]",
        "Answers `evaluation` (before the roll) and `moves` (the ten best plays) or, without dice, `cube`.",
        f"botd-engine --ply 1 reference {_START} 3 1",
    ),
    "legal": CommandHelp(
        "list the legal plays of a roll",
        "POSITION_ID DIE DIE",
        "Answers `count`, `positions` (sorted Position IDs of the distinct results, the player who moved "
        "kept in place) and `moves` (notation in the same order).",
        "botd-engine legal 4HPwATDgc/ABMA 3 1",
        positions=False,
    ),
    "bestmove": CommandHelp(
        "choose the play of a roll",
        "POSITION_ID MATCH_ID DIE DIE",
        "Answers `move`, `position_id` (after it, the player who moved kept in place), `equity`, `ply` and "
        "`source`: search, book, bearoff or forced.",
        f"botd-engine --level hard bestmove {_START} 3 1",
    ),
    "cube": CommandHelp(
        "judge the cube before the roll",
        "POSITION_ID MATCH_ID",
        "Answers the three equities, `decision`, `action` (no_double or double) and `response`, the right "
        "answer to a double whether or not it should be made (take, pass or beaver).",
        f"botd-engine --ply 1 cube {_START}",
    ),
    "analysemove": CommandHelp(
        "judge a play that was made",
        "POSITION_ID MATCH_ID [DIE DIE] MOVE",
        "Answers `rank`, `equity_loss` (0 or negative), `skill` (none, doubtful, bad, very_bad) and the "
        "`ranking` down to the play made. MOVE is in GNU Backgammon's notation; nothing if no checker could "
        "move.",
        f"botd-engine --ply 1 analysemove {_START} 3 1 24/23 13/10",
    ),
    "analysecube": CommandHelp(
        "judge a cube action that was taken",
        "POSITION_ID MATCH_ID no_double|double|take|pass",
        "no_double and double are by the player on roll, take and pass by the other side. Answers "
        "`analysed`, `cube`, `equity_loss` (0 or negative, of the side that acted) and `skill`.",
        "botd-engine --ply 1 analysecube bBtiAwZn3gYGAA cAkAAAAAAAAA no_double",
    ),
    "luck": CommandHelp(
        "judge a roll",
        "POSITION_ID MATCH_ID DIE DIE",
        "Answers `value`, the equity of the best play less the average over all rolls, both at 0-ply, and "
        "`rating` (very_unlucky, unlucky, none, lucky, very_lucky).",
        f"botd-engine luck {_START} 3 1",
    ),
    "levels": CommandHelp("list the named levels", "", "The names are values of --level.", positions=False),
    "resign": CommandHelp(
        "say what to resign, or whether to accept a resignation",
        "POSITION_ID MATCH_ID [offer 1|2|3]",
        "Without an offer: `resign` is what the player on roll should give up before it rolls: 0 (nothing), "
        "1 (single game), 2 (gammon) or 3 (backgammon). With one, from the arguments or the Match ID: "
        "whether to `accept`. The side to act decides (`decides`): the player on roll, unless the Match ID "
        "says the other one.",
        f"botd-engine resign {_START} offer 1",
    ),
    "perft": CommandHelp(
        "count all sequences of plays to a depth",
        "DEPTH [POSITION_ID]",
        "Answers `leaves` (sequences of distinct plays over the 21 rolls), `distinct` (different final "
        "positions) and `seconds`.",
        "botd-engine perft 2",
        positions=False,
    ),
    "compare": CommandHelp(
        "check answers against GNU Backgammon's, recorded or asked for",
        "FILE_OR_DIR [--against gnubg] [--plies N,N] [--limit N] [--json] [--jobs N]",
        "Prints a line per deviation (id, ply, field, expected, got, verdict), then counts, the 99th "
        "percentile and the largest difference. Exit status 1 if a criterion fails: numbers within 0.002; "
        "counts, decision names, notations the same. Evaluators with networks of their own are only held to "
        "counts and notations. With --against gnubg the positions of the files are put to the installed "
        "program.",
        "botd-engine --evaluator gnubg --profile A compare reference/positions --plies 0,1",
        positions=False,
    ),
    "info": CommandHelp(
        "say what answers are made with",
        "",
        "Answers version, CPU path, evaluators with licence, files and SHA-256, bear-off files and match "
        "equity table.",
        positions=False,
    ),
    "batch": CommandHelp(
        "answer JSON lines from standard input",
        "[--jobs N]",
        "Each line is an object with `id`, `op` (default reference), `position_id`, `match_id` or `xgid`, "
        "and the command's arguments `dice`, `move`, `action`, `offer`, `depth`; `ply`, `level`, "
        "`evaluator`, `mode` and `profile` override the options. One answer a line, in order, with the `id`. "
        "A bad line is answered with `error`, of `kind` request, position, data or unsupported, and the "
        "batch goes on.",
        f"echo '{_BATCH_LINE}' | botd-engine batch",
        positions=False,
    ),
}
