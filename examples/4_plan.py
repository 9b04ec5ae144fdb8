"""Turn queries into plans that people can read and other engines can run."""

import json

from boolattn.plans.engine_queries import to_elasticsearch, to_lucene
from boolattn.reading.readers import reader_of

queries = [
    "movies set in Vietnam but not about war",
    "restaurants with gardens and live music, without dogs",
    'comedy OR "science fiction" -war',
]
for reading in reader_of("rules").read(queries):
    plan = reading.plan()
    print(f"{plan.query}\n  plan ({plan.reader}): {plan}\n  lucene: {to_lucene(plan)}")
print(json.dumps(to_elasticsearch(plan, field="text"), indent=2))
