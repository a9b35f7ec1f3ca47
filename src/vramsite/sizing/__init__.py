"""The pure engine: records and floats in, records and floats out (see docs/architecture.md)."""
