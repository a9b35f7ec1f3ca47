"""All commands of this package, for the command line."""

from vramsite.contribute import commands_numbers
from vramsite.contribute.commands import app

__all__ = ["app", "commands_numbers"]
