"""What operators can watch: metrics, health and readiness over HTTP."""
