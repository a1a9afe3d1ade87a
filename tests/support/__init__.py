"""What the tests of several rooms share: the real engine, deadlines."""
