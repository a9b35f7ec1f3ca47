"""From a family's compute graph to a model's own; compiled for the browser with the readers."""
