"""Models by name, adapters, checksums and fingerprints."""
