"""`collio probe`: measures storage targets, and says which of them a file should be spread over."""
