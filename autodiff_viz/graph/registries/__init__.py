"""Register each kind of rule, checkpoint policy and dtype as one record."""
