"""What Alembic runs: every migration on the connection that it was given, in that connection's transaction."""

from alembic import context
from sqlmodel import SQLModel

from annotate_app.migrations import CONNECTION

context.configure(
    connection=context.config.attributes[CONNECTION],
    target_metadata=SQLModel.metadata,
    transaction_per_migration=False,
    render_as_batch=True,
)
context.run_migrations()
