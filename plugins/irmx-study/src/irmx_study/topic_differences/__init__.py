"""On which topics systems differ, and which topics are easy, hard or disputed."""
