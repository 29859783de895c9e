"""A Toolset for one library each. A library is imported when its adapter is called, not before."""
