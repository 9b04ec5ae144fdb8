"""A reader with fixed answers, instead of a trained one."""

from dataclasses import replace

from boolattn.reading.caller import caller_reading

THRESHOLDS = {
    "things": {"safe": 0.6, "balanced": 0.4, "sensitive": 0.2},
    "pages": {"safe": 0.45, "balanced": 0.25, "sensitive": 0.1},
}


class FixedReader:
    """Reads the same words as excluded wherever a query contains them, and counts what it reads."""

    name = "fixed 7"

    def __init__(self, *words, confidence=1.0, kind="topic"):
        self.words, self.confidence, self.kind = words, confidence, kind
        self.queries = []

    def read(self, queries):
        self.queries.extend(queries)
        return [self._read(query) for query in queries]

    def _read(self, query):
        reading = caller_reading(query, [word for word in self.words if word in query.split()])
        exclusions = tuple(replace(each, kind=self.kind, confidence=self.confidence) for each in reading.exclusions)
        return replace(
            reading, exclusions=exclusions, source="learned", reader=self.name, thresholds=THRESHOLDS,
            confidence=self.confidence,
        )  # fmt: skip
