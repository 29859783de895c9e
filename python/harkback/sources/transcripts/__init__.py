"""Transcripts of agents, read in place: one format per file, none knowing another."""
