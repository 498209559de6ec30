"""Configuration: one TOML file, checked as a whole before anything starts."""

from botd.config.load import Loaded, load_config, parse_config
from botd.config.problems import ConfigError, Problem
from botd.config.schema import (
    AccountConfig,
    Config,
    ControlConfig,
    DaemonConfig,
    EngineConfig,
    IdleConfig,
    InviteConfig,
    JournalConfig,
    LogConfig,
    MetricsConfig,
    MqttConfig,
    PliesConfig,
    PolicyConfig,
    StatusPageConfig,
)
from botd.config.secret import Credentials, Secret

__all__ = [
    "AccountConfig",
    "Config",
    "ConfigError",
    "ControlConfig",
    "Credentials",
    "DaemonConfig",
    "EngineConfig",
    "IdleConfig",
    "InviteConfig",
    "JournalConfig",
    "Loaded",
    "LogConfig",
    "MetricsConfig",
    "MqttConfig",
    "PliesConfig",
    "PolicyConfig",
    "Problem",
    "Secret",
    "StatusPageConfig",
    "load_config",
    "parse_config",
]
