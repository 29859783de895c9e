"""What OpenCode's records mean, wherever they lie: in its database, or in the tree of before."""
