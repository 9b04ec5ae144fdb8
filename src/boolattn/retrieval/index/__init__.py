"""The engines that hold vectors: one file each, all of one protocol."""
