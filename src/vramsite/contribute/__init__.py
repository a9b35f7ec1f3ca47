"""What a contributor does: add a model, a device, a measurement; keep files in form; see changes."""
