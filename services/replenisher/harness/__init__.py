"""The agentic loop and its parts, free of domain words and of any engine: an agent for another job starts here."""
