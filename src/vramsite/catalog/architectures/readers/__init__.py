"""One module a family of architectures; each registers its readers when imported."""
