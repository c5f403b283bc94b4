"""What the wheel of gpulint has beside its program: the plugin for pytest. docs/pytest.md describes it."""
