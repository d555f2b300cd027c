"""`backup`, `restore`, `upgrade`, `put-away`, `take-out`: how a project outlives a disk, a version and its study."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from annotate_app.commands.shapes import Commands, add_project, add_projects, add_runs, add_sealed, counted

if TYPE_CHECKING:
    from annotate_app.copies import Contents, Copy


def add(commands: Commands) -> None:
    """Add the commands."""
    backup = commands.add_parser("backup", help="copy a project's database, while the app serves too")
    add_project(backup)
    backup.add_argument(
        "--out", type=Path, metavar="FILE", help="a new file, or a folder (default: backups/PROJECT-TIME-HASH.db)"
    )
    backup.set_defaults(command=_backup)
    restore = commands.add_parser("restore", help="make a project from a backup")
    restore.add_argument("file", type=Path, metavar="FILE", help="what backup wrote")
    restore.add_argument("--project", metavar="NAME", help="the project's name, which must be the one it has inside")
    add_projects(restore)
    restore.set_defaults(command=_restore)
    upgrade = commands.add_parser("upgrade", help="bring a project of an earlier version up to date")
    add_project(upgrade)
    upgrade.set_defaults(command=_upgrade)
    away = commands.add_parser("put-away", help="encrypt the database of a finished project that holds labels out")
    add_project(away)
    add_sealed(away)
    add_runs(away)
    away.add_argument(
        "--prereg", type=Path, default=Path("prereg"), metavar="DIR", help="where locked plans are (default: prereg)"
    )
    away.set_defaults(command=_put_away)
    out = commands.add_parser("take-out", help="bring a database back that was put away")
    add_project(out)
    out.add_argument("--key", type=Path, required=True, metavar="FILE", help="the key that its holder keeps")
    out.set_defaults(command=_take_out)


def _backup(options: argparse.Namespace) -> int:
    from annotate_app.copies import back_up
    from annotate_app.database import find

    _say(back_up(find(options.project, options.projects), options.out))
    return 0


def _put_away(options: argparse.Namespace) -> int:
    from annotate_app.database import find
    from annotate_app.putting_away import put_away
    from annotate_app.sealed import read_sealed, sealed_path
    from annotate_app.store import open_store
    from polibias.records.runs import find_run

    sealed = read_sealed(sealed_path(options.project, options.sealed))
    run = find_run(sealed.run, options.runs)
    box = put_away(open_store(find(options.project, options.projects)), sealed, run, options.prereg)
    print(f"{box}: the database, which only the holder's key opens; backups that you made are still in the open")
    print(f"back again: polibias-annotate take-out {options.project} --key FILE")
    return 0


def _take_out(options: argparse.Namespace) -> int:
    from annotate_app.putting_away import take_out

    print(f"{take_out(options.projects / options.project, options.key)}: in the open again")
    return 0


def _say(copy: "Copy") -> None:
    print(f"{copy.file}: {_events(copy.contents)}")


def _events(found: "Contents") -> str:
    return f"project '{found.project}', {counted(found.events, 'event')}, chain whole, last {found.head}"


def _restore(options: argparse.Namespace) -> int:
    from annotate_app.copies import restore
    from annotate_app.schema import REVISION

    done = restore(options.file, options.project, options.projects)
    _say(done)
    print(f"everything is as it was at {done.contents.until}, links too: revoke again whatever was revoked since")
    if done.contents.revision != REVISION:
        print(f"next: polibias-annotate upgrade {done.contents.project}")
    return 0


def _upgrade(options: argparse.Namespace) -> int:
    from annotate_app.database import find
    from annotate_app.layout import upgrade
    from annotate_app.schema import REVISION

    copy = upgrade(find(options.project, options.projects))
    if copy is None:
        print(f"{options.project}: laid out as {REVISION} already, nothing to do")
        return 0
    print(f"{options.project}: laid out as {REVISION} now")
    _say(copy)
    return 0
