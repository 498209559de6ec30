"""Names of topics; `docs/mqtt.md` explains them."""

from __future__ import annotations

from dataclasses import dataclass

from botd.config.schema import MqttConfig


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of one instance."""

    base: str

    @classmethod
    def of(cls, config: MqttConfig) -> Topics:
        return cls(f"{config.prefix}/{config.instance}")

    @property
    def status(self) -> str:
        """Retained: whether this instance is there."""
        return f"{self.base}/status"

    @property
    def command(self) -> str:
        return f"{self.base}/command"

    @property
    def reply(self) -> str:
        return f"{self.base}/reply"

    def event(self, kind: str) -> str:
        return f"{self.base}/event/{kind}"
