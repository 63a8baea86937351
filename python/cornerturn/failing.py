"""What goes wrong, as exceptions and warnings."""

import enum


class Status(enum.IntEnum):
    """Why a call of the library failed: the exit codes of the command."""

    OK = 0
    FAILED = 1  # failed while running
    USAGE = 2  # wrong arguments
    INVALID = 3  # invalid pipeline, plan or stage
    NO_DEVICE = 4  # no usable device
    DATA = 5  # unreadable or unwritable data
    MISMATCH = 6
    EOF = 7
    INTERRUPTED = 130


class Error(Exception):
    """A failure in sentences for a person, one a line. `status` says of which kind it is."""

    def __init__(self, sentences, status=Status.USAGE):
        super().__init__(sentences)
        try:
            self.status = Status(status)
        except ValueError:  # of a later library
            self.status = status

    @property
    def sentences(self):
        return str(self).splitlines()


class CornerturnWarning(UserWarning):
    """What is valid and yet hardly meant, or was left out at the end of a run."""
