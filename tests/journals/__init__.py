"""Recorded journals of whole replenishments, and today's code replayed against them. record.py makes them, wire.py is
their form, kept.py the files, replaying.py the check."""
