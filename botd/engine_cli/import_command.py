"""`botd-engine import-net`: turn a network file of PureTD's into botd's own format."""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botd import _core
from botd.engine.network_file import network_bytes, write_content
from botd.engine.puretd_file import read_puretd
from botd.engine_cli.errors import AnswerError, ErrorKind
from botd.engine_cli.fields import Answer

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[Any]

_SUMMARY = "turn a network file of PureTD's into botd's format"
_HELP = """\
FILE is a PyTorch archive (.pt) as PureTD publishes them or its training writes them, of any of its
kinds. PyTorch is not needed, and nothing in the file is run: it is only read, as numbers and texts. OUT
is a file for --weights of the evaluator puretd. It appears only when it is complete; what was there
before is replaced.

example: botd-engine import-net cubeful_money_512_512_256_256.pt cubeful.net
         botd-engine --evaluator puretd --weights cubeful.net bestmove 4HPwATDgc/ABMA cAkAAAAAAAAA 3 1"""


def add_command(commands: Commands) -> None:
    """Register `import-net`."""
    command = commands.add_parser(
        "import-net",
        help=_SUMMARY,
        description=f"{_SUMMARY.capitalize()}.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("file", type=Path, metavar="FILE")
    command.add_argument("output", type=Path, metavar="OUT")


def answer(arguments: argparse.Namespace) -> Answer:
    """The answer to a parsed `import-net` command: what was written. Raises AnswerError."""
    path: Path = arguments.output
    try:
        network = read_puretd(arguments.file)
        content = network_bytes(network, name=str(arguments.file))
    except (OSError, _core.DataError) as error:
        raise AnswerError(ErrorKind.DATA, str(error)) from error
    try:
        write_content(content, path)
    except OSError as error:
        raise AnswerError(ErrorKind.DATA, f"{path}: cannot be written: {error.strerror}") from error
    return {
        "file": str(path),
        "kind": network.kind.value,
        "encoding": network.encoding,
        "inputs": network.layers[0].inputs,
        "layers": [layer.outputs for layer in network.layers],
        "parameters": network.parameters,
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "source": network.source,
        "licence": network.licence,
    }
