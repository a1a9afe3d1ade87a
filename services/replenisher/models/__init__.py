"""Deciders, readers and writers: what judges, reads and writes for the agent, embedded or by a model."""
