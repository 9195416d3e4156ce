"""Reports: what a finished or a running run comes to, for people."""
