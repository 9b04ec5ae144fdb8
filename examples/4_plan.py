"""Turn queries into plans that a person can read and another engine can run."""

import json

from boolattn.reading.exports.elasticsearch import to_elasticsearch
from boolattn.reading.exports.lucene import to_lucene
from boolattn.reading.understanding import plan_by_rules

for query in (
    "movies set in Vietnam but not about war",
    "restaurants with gardens and live music, without dogs",
    'comedy OR "science fiction" -war',
):
    plan = plan_by_rules(query)
    print(f"{query}\n  plan ({plan.source}): {plan}\n  lucene: {to_lucene(plan)}")
print(json.dumps(to_elasticsearch(plan, field="text"), indent=2))
