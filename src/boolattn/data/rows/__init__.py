"""Rows of files and hubs, with a report of bad ones."""
