"""More than two classes: operating points are weights of the classes (see the architecture page)."""
