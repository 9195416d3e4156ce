"""Vocabulary: what scoring knows of a task, in each benchmark's own words."""
