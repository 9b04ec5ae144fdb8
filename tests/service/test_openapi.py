"""Requests made from the OpenAPI document: no failure of the server, and every answer is as documented."""

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CASES = (
    5 if settings.default.max_examples <= 100 else 560
)  # of a route and a mode; with --hypothesis-profile=search, more than 10,000 in all
CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
)


@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode), ids=lambda mode: mode.value)
def test_every_answer_is_as_documented(written_server, mode):
    """Valid requests, and requests that break the document; a route without a body has none of those."""
    cases = 0
    for found in schemathesis.openapi.from_url(f"{written_server.url}/openapi.json").get_all_operations():
        operation = found.ok()
        if mode == schemathesis.GenerationMode.NEGATIVE and not operation.body:
            continue

        @given(case=operation.as_strategy(generation_mode=mode))
        @settings(
            max_examples=CASES,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def ask(case):
            nonlocal cases
            cases += 1
            case.call_and_validate(checks=CHECKS, timeout=60)

        ask()
    print(f"{cases} cases")
    assert cases >= 11 * CASES  # eleven routes have a body


@pytest.mark.parametrize("value", [True, "3", 1.5])
def test_only_whole_numbers_are_integers(written_server, value):
    for path, body in {
        "/v1/embeddings": {"input": "films", "model": "m-query", "dimensions": value},
        "/v2/embed": {"texts": ["films"], "input_type": "search_query", "output_dimension": value},
    }.items():
        assert written_server.post(path, body).status_code == 422


@pytest.mark.parametrize("value", [0.0, 1, "true"])
def test_only_true_and_false_are_booleans(written_server, value):
    body = {"input": "films", "model": "m-query", "act": value}
    assert written_server.post("/v1/embeddings", body).status_code == 422


def test_the_document_has_examples_and_all_routes(written_server):
    document = httpx.get(f"{written_server.url}/openapi.json").json()
    bodies = [
        operation for path in document["paths"].values() for operation in path.values() if "requestBody" in operation
    ]
    assert len(bodies) == 11
    for operation in bodies:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        assert document["components"]["schemas"][schema["$ref"].split("/")[-1]]["examples"]
