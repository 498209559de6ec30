"""The engine's Python front: positions, decisions and the evaluators behind them."""
