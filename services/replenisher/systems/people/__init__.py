"""How requests, questions and notices reach people: one adapter file a channel."""
