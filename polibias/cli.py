"""The `polibias` command: parses, calls, prints. Everything heavy is imported where it is used."""

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Sequence

from polibias import __version__
from polibias.commands import data, doctor, planning, prereg, ratings, records, runs, texts, validation
from polibias.commands.shapes import one_line
from polibias.errors import InputError, PoliBiasError

INTERRUPTED = 130
TRACEBACK = "POLIBIAS_TRACEBACK"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 does not hold, 2 bad input, 3 stopped by a provider."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    options = parser().parse_args(arguments)
    try:
        code = int(options.command(options))
        if sys.stdout:
            sys.stdout.flush()
        return code
    except PoliBiasError as error:
        return _fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        return _fail("stopped; what was answered is stored, the same command goes on", INTERRUPTED)
    except BrokenPipeError:
        _drop_stdout()
        return _fail("the reader of this output went away before the end", InputError.exit_code)
    except OSError as error:
        _drop_stdout()
        return _fail(f"{error.filename or 'the system'}: {error.strerror or error}", InputError.exit_code)
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        kind = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return _fail(f"a fault in polibias ({kind}); set {TRACEBACK}=1 and report what it prints", InputError.exit_code)


def _fail(message: str, code: int) -> int:
    """Say what is wrong in one line, wherever it can still be said."""
    with contextlib.suppress(OSError, ValueError):
        print(f"polibias: {one_line(message)}", file=sys.stderr)
    return code


def _drop_stdout() -> None:
    """Send what is still buffered nowhere, so that the interpreter's end does not stumble over it again."""
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - open until the process ends


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(
        prog="polibias",
        formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=28),
        description="Audit whether language models treat countries even-handedly, and validate the judge that says so.",
        epilog="Exit codes: 0 done, 1 the checked thing does not hold, 2 bad input or usage, 3 stopped by a provider.",
    )
    top.add_argument("--version", action="version", version=f"polibias {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for group in (runs, doctor, records, ratings, planning, validation, prereg, data, texts):
        group.add(commands)
    return top


if __name__ == "__main__":
    sys.exit(main())
