"""`collio advise`: would a job gain under collio, by how much, from what evidence."""
