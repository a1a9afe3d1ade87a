"""Where quotes come from and orders go to: one adapter file a channel."""
