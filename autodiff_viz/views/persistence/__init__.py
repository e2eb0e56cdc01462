"""The lab as text: address, stored history and documents."""
