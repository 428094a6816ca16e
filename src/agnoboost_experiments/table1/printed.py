"""Table 1 as the paper prints it: accuracy and its +-, for PAB and for Algorithm 1, at each level of added noise."""

NOISE = (0.0, 0.05, 0.1, 0.2)
METHODS = ("PAB", "Algorithm 1")

# data set: for each noise level PAB, its +-, Algorithm 1, its +-; in hundredths
_TABLE = {
    "ionosphere": ((87, 5, 91, 4), (88, 5, 90, 4), (84, 6, 90, 4), (81, 6, 83, 6)),
    "diabetes": ((84, 9, 89, 7), (86, 8, 86, 9), (79, 9, 79, 10), (76, 10, 80, 10)),
    "spambase": ((91, 2, 94, 2), (90, 3, 92, 3), (89, 3, 90, 2), (83, 4, 87, 3)),
    "german": ((79, 7, 86, 7), (84, 8, 84, 8), (76, 8, 87, 7), (75, 8, 77, 8)),
    "sonar": ((78, 8, 92, 5), (68, 9, 89, 6), (84, 8, 87, 7), (69, 10, 77, 8)),
    "waveform": ((89, 2, 89, 2), (88, 3, 87, 3), (86, 3, 86, 3), (83, 3, 83, 3)),
}

DATA_SETS = tuple(_TABLE)


def printed(data_set: str, noise: float, method: str) -> tuple[float, float]:
    """The printed accuracy and its +-."""
    place = 2 * METHODS.index(method)
    entry = _TABLE[data_set][NOISE.index(noise)]
    return entry[place] / 100, entry[place + 1] / 100
