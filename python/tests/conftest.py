"""What all tests share: no result depends on time, on chance or on earlier runs."""

from __future__ import annotations

from hypothesis import settings

#: Ends a test that hangs, in seconds. No result depends on it: whatever a test waits for comes, sooner or later.
PATIENCE = 600

settings.register_profile("same-everywhere", derandomize=True, deadline=None, database=None)
settings.load_profile("same-everywhere")
