"""What Restate serves: the entity, the workflow and the relay between them, and the journal that gives the loop its
durability."""
