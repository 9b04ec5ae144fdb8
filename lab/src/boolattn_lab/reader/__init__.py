"""Train the learned reader: labelled queries -> a network -> the ONNX file that ``boolattn.reading`` runs."""
