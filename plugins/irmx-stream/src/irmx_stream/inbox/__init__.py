"""Inboxes: every day a system says which questions have news, and which documents hold it."""
