"""How a project's database is laid out, and how an older layout becomes the present one."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

FOLDER = Path(__file__).parent
CONNECTION = "connection"


def upgrade(connection: Connection) -> None:
    """Bring the database to the present layout, inside the caller's transaction."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes[CONNECTION] = connection
    command.upgrade(config, "head")
