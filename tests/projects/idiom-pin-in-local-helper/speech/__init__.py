"""Speech tools."""
