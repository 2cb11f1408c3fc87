"""`collio topo`: shows networks that other programs describe (collio.topology reads them), and measures
them."""
