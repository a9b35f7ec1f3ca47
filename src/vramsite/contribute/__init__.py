"""What a contributor does: add a model, a device, a measurement; see what changes."""
