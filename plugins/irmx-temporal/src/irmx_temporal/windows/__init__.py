"""Time windows: by label, by the calendar, or by bursts."""
