"""Scan formula text to logical lines and Python syntax trees, and report problems with a caret."""
