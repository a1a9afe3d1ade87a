"""Adapters: what stands behind the ports. Business rules live in domain/, which adapter is in use in app.py."""
