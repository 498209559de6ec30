"""What is being played now, as documents for the status page and `botd watch`."""
