"""`rearrange` and `reduce` as layers."""
