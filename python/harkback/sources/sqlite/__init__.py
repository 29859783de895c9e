"""A host's SQLite store as a Source: opened without a trace, listed, scanned and read."""
