"""How good a model is, honestly: splits, held-out predictions, certificates, audits, shift, wrong labels, curves."""
