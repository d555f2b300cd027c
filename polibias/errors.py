"""Every exception this package raises on purpose.

::

    PoliBiasError                  one line: what, where, what to do
    ├── InputError          exit 2  something the user named or wrote is wrong
    │   ├── DamagedRecord           a stored row or line cannot be trusted
    │   ├── RunInUse                another process writes to this run
    │   └── StorageError            the disk refused a write; nothing was half-written
    └── ProviderError       exit 3  a model did not answer
        ├── Transient               the same request may succeed later
        ├── TooLong                 this request exceeds the model's context; a named outcome of its row
        ├── Fatal                   no later request can succeed (key, billing, parameter)
        └── BudgetReached           the next request might cost more than the budget leaves
"""


class PoliBiasError(Exception):
    """A condition whose message a person can act on."""

    exit_code = 2


class InputError(PoliBiasError):
    """A file, option or name given by the user cannot be used."""


class DamagedRecord(InputError):
    """A stored line is cut short, altered or out of its chain."""


class RunInUse(InputError):
    """Another process holds the run directory."""


class StorageError(InputError):
    """The file system refused a write."""


class ProviderError(PoliBiasError):
    """A model or its server gave no usable answer."""

    exit_code = 3


class Transient(ProviderError):
    """Worth asking again: overload, time-out, reset connection.

    `after` is the server's own waiting time in seconds, where it gave one. `throttled`: the server turned the request
    away because it has too many. `unpaid` is False where the server may have written, and charged, what was lost.
    """

    def __init__(self, message: str, after: float | None = None, throttled: bool = False, unpaid: bool = True) -> None:
        super().__init__(message)
        self.after = after
        self.throttled = throttled
        self.unpaid = unpaid


class TooLong(ProviderError):
    """The request is longer than the model's context."""


class Fatal(ProviderError):
    """Never worth asking again: credentials, billing, an unsupported parameter."""


class BudgetReached(ProviderError):
    """What was spent and what is under way leave no room for another request."""
