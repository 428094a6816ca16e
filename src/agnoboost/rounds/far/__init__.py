"""Rounds on rows that stay where they are: on the workers of a cluster, or on a disk.

``blocks`` learns what must be known of a table without having its rows here; ``table`` is what keeps them in bins for
rounds; ``engine`` runs these; ``disk`` keeps bins in a file.
"""
