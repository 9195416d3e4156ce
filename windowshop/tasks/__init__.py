"""Tasks: what agents are asked to do, from goals, benchmark files or plain lines of text."""
