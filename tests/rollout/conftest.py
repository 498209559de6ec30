"""The engine, vectors and contexts of the search tests."""

from __future__ import annotations

from tests.search.conftest import context_of, engine, vectors

__all__ = ["context_of", "engine", "vectors"]
