"""Reads supplier mail into typed, bounded facts by rules. No model, no network; what is not sure stays absent."""
