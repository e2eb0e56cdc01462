"""Hold a record for each kind of rule, checkpoint policy and dtype."""
