"""How a project's database is laid out, and how an older layout becomes the present one."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

FOLDER = Path(__file__).parent
CONNECTION = "connection"


def upgrade(connection: Connection) -> None:
    """Bring the database to the present layout, inside the caller's transaction."""
    config = _config()
    config.attributes[CONNECTION] = connection
    command.upgrade(config, "head")


def known() -> set[str]:
    """Every layout that can be brought to the present one, that one included."""
    return {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    return config
