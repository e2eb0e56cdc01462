"""Test the site."""
