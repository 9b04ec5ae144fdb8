"""Rows from files and the Hub, with reports of bad ones."""
