"""vramsite: sizing reports for every open-weight LLM on every GPU."""

__version__ = "0.1.0"
