"""The paper's parts."""
