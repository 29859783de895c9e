"""Sources: where history lives, each kind of place in a package of its own; read, never written."""
