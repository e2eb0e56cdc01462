"""The formula language: text to graph and graph to text."""
