"""What goes wrong with a plan."""


class PlanError(Exception):
    """One line for the user: the value, and what is allowed."""
