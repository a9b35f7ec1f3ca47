"""House rules: what a schema cannot say. One rule a function; each yields its faults."""
