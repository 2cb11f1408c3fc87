"""`collio run`, and all that is known of launchers: their command lines, how they hand on an environment,
what each needs."""
