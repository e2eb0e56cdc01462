"""Ask before the numbers are shown: questions about a trace, and answers judged by it."""
