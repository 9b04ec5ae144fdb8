"""Encoders as ONNX files, which run without torch."""
