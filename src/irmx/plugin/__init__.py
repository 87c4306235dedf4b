"""Discovery of plugins, checks of what they return, the host's own hooks, and templates of new plugins."""
