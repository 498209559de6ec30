"""What a metric has counted."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from botd.metrics.registry import Metrics


def counted(metrics: Metrics, name: str, *labels: str) -> dict[str, float]:
    """Series of a metric that are not 0, by the values of these labels."""
    return {
        " ".join(sample.labels[label] for label in labels): sample.value
        for family in text_string_to_metric_families(metrics.render().decode())
        for sample in family.samples
        if sample.name == name and sample.value
    }
