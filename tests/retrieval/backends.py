"""The kinds of index that every test of an index runs on; a new kind is added to each list that applies."""

BACKENDS = ("lance", "milvus", "memory")
OPEN_TO_OTHER_PROCESSES = ("lance", "milvus")
WITH_TEXT_SEARCH = ("lance", "memory")
