"""Decision services with real worker processes, always stopped, and a way to look for survivors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from botd.decisions.service import DecisionService, ServiceConfig
from botd.metrics.registry import Metrics

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Workers import the unruly engines from this checkout."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("BOTD_TEST_MARK", str(tmp_path / "mark"))


Start = Callable[..., Awaitable[DecisionService]]


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
async def start(metrics: Metrics) -> AsyncIterator[Start]:
    """`await start("random", workers=1, ...)`: a running service."""
    services: list[DecisionService] = []

    async def build(engine: str, **options: Any) -> DecisionService:
        service = DecisionService(ServiceConfig(engine=engine, **options), metrics)
        services.append(service)
        await service.start()
        return service

    yield build
    for service in services:
        await service.stop()
