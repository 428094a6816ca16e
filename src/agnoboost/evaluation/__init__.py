"""How good a model is, honestly: splits, held-out predictions, certificates, shift, wrong labels, learning curves."""
