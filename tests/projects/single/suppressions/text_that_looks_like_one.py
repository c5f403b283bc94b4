"""Write `# gpulint: ignore[no-such-rule] reason` on the line."""
print("# gpulint: ignore[no-such-rule]")
