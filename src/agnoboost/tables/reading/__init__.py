"""From the bytes of a file to a clean frame, by looking: encoding, separator, header, numbers, labels."""
