"""Addresses: there is no network."""
