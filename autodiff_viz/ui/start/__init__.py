"""Start the app where the package is installed: app.py and its settings, as they are beside the package."""
