"""Which systems a study is about."""
