"""`collio simulate`: one collective call on a machine you describe, in virtual time, at any number of
ranks."""
