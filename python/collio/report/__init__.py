"""Reports of jobs: read, checked, summed up, and shown on a terminal or a page."""
