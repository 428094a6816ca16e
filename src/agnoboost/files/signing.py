"""Signatures of model files by a shared key (HMAC-SHA256), for files that travel between machines.

The signature is of the manifest, which has the checksums of all other members. Whoever has the key can sign: it shows
that a file comes from somebody who has it, and has not been changed since; not from whom, nor when, nor that it is the
newest one.
"""

from __future__ import annotations

import hmac

SIGNATURE = "signature"  # the member
SHORTEST_KEY = 16  # bytes


def check_signing_key(key: bytes, name: str) -> bytes:
    """Refuse keys that are no bytes, or could be guessed; the key itself is not shown."""
    if not isinstance(key, (bytes, bytearray)):
        raise TypeError(
            f"{name} must be a key as bytes. Got {type(key).__name__}. Read it from a file with Path.read_bytes()."
        )
    if len(key) < SHORTEST_KEY:
        raise ValueError(
            f"{name} must be a key of at least {SHORTEST_KEY} bytes. Got {len(key)}. Make one with "
            "secrets.token_bytes(32)."
        )
    return bytes(key)


def signature(manifest: bytes, key: bytes) -> bytes:
    """In hexadecimal."""
    return hmac.new(key, manifest, "sha256").hexdigest().encode()


def check_signature(found: bytes | None, manifest: bytes, key: bytes) -> None:
    """Refuse a file that is not signed, or with another key, or was changed."""
    if found is None:
        raise ValueError("it must be signed, and is not: sign it with save(..., sign=key)")
    if not hmac.compare_digest(found, signature(manifest, key)):
        raise ValueError("its signature is not by this key, or the file was changed since: do not use it")
