"""Translation: Page -> the simulator's observation and valid actions; action string <-> Action. All pure."""
