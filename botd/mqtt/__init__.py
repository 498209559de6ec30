"""MQTT: what happens goes to a broker, commands may come from it; see `docs/mqtt.md`."""
