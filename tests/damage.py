"""Files as they come out of broken programs."""


def damaged(data, rng, times):
    """The bytes with some changed, left out, doubled or put in between."""
    for _ in range(times):
        damage = bytearray(data) or bytearray(b" ")
        for _ in range(rng.integers(1, 3)):
            at = rng.integers(len(damage))
            kind = rng.integers(4)
            if kind == 0:
                damage[at] = rng.integers(256)
            elif kind == 1:
                del damage[at : at + rng.integers(1, 9)]
            elif kind == 2:
                damage[at:at] = damage[at : at + rng.integers(1, 20)]
            else:
                damage[at:at] = bytes(rng.choice(list(b'",;\n\t\x00\xff|{[<')) for _ in range(2))
            damage = damage or bytearray(b" ")
        yield bytes(damage)
