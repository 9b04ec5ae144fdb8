"""What deploy/ names exists: settings, metrics and their labels, alerts in the runbook."""

import json
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import httpx
import pytest
import yaml

from boolattn.backbones.storage.model_names import BACKBONE_VARIABLE
from boolattn.retrieval.index.open_index import TOKEN_VARIABLE
from boolattn.service.settings import PREFIX, ServiceSettings, load_settings
from tests.service.running import ROOT

DEPLOY = ROOT / "deploy"
FILES = sorted(path for path in DEPLOY.rglob("*") if path.is_file())
VARIABLES = {PREFIX + each.name.upper() for each in fields(ServiceSettings)} | {TOKEN_VARIABLE, BACKBONE_VARIABLE}
VARIABLES.add("BOOLATTN_TAG")  # compose's own: which image
ALERTS = yaml.safe_load((DEPLOY / "prometheus/alerts.yaml").read_text())
RULES = [rule for group in ALERTS["groups"] for rule in group["rules"]]
DASHBOARD = json.loads((DEPLOY / "grafana/dashboard.json").read_text())


def manifests() -> dict[str, dict]:
    """Return every Kubernetes manifest by its kind."""
    paths = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    return {found["kind"]: found for found in (yaml.safe_load(path.read_text()) for path in paths)}


def queries() -> list[str]:
    """Return every PromQL expression in deploy/."""
    panels = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    adapter = yaml.safe_load((DEPLOY / "prometheus/adapter-rules.yaml").read_text())["rules"]
    autoscaler = manifests()["HorizontalPodAutoscaler"]["spec"]["metrics"]
    return [
        *panels,
        *(rule["expr"] for rule in RULES),
        *(rule[part] for rule in adapter for part in ("seriesQuery", "metricsQuery")),
        *(metric["pods"]["metric"]["name"] for metric in autoscaler),
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(DEPLOY)))
def test_every_file_parses_and_names_only_known_variables(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".yaml":
        assert list(yaml.safe_load_all(text))
    if path.suffix == ".json":
        assert json.loads(text)
    assert set(re.findall(r"\bBOOLATTN_\w+", text)) <= VARIABLES


def test_every_metric_and_label_is_one_of_the_running_service(server):
    server.post("/v1/search", {"query": "movies set in Vietnam but not about war", "plain": True})
    server.post("/v1/search", {"query": "x", "k": 10**6})
    # Not prometheus_client's parser: it appends _total to the counters' names.
    measured = httpx.get(server.url + "/metrics", timeout=60).text
    labels = {}
    for name, written in re.findall(r"^(\w+)(?:\{(.*)\})? ", measured, re.MULTILINE):
        labels.setdefault(name, set()).update(re.findall(r'(\w+)="', written))
    asked = queries()
    assert len(asked) > 25
    for query in asked:
        named = re.findall(r"\b((?:te|boolattn)_\w+)(?:\{([^}]*)\})?", query)
        for name, matchers in named:
            assert name in labels, name
            used = set(re.findall(r'(\w+)\s*(?:=~|!~|!=|=)\s*"', matchers)) - {
                "job",
                "namespace",
                "pod",
            }  # Prometheus's
            assert used <= labels[name], (name, used)
        for by in re.findall(r"by \(([^)]*)\)", query):
            assert set(by.replace(" ", "").split(",")) <= set().union(*(labels[name] for name, _ in named)), query


def test_every_stage_and_route_named_is_served(server):
    paths = {*httpx.get(server.url + "/openapi.json", timeout=60).json()["paths"], "/metrics"}
    server.post("/v1/search", {"query": "movies set in Vietnam but not about war"})
    measured = httpx.get(server.url + "/metrics", timeout=60).text
    for query in queries():
        for found in re.findall(r'route[=!]~"([^"]+)"', query):
            assert set(found.split("|")) <= paths
        for stage in re.findall(r'stage="(\w+)"', query):
            assert f'stage="{stage}"' in measured


def test_the_runbook_explains_every_alert():
    text = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    for rule in RULES:
        assert f"### {rule['alert']}\n" in text
    assert set(re.findall(r"^### (Boolattn\w+)$", text, re.MULTILINE)) == {rule["alert"] for rule in RULES}


def test_settings_of_each_deployment_are_valid(tmp_path):
    container = manifests()["Deployment"]["spec"]["template"]["spec"]["containers"][0]
    image = dict(re.findall(r"\b(BOOLATTN_\w+)=(\S+)", (DEPLOY / "Dockerfile").read_text()))
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["boolattn"]["environment"]
    pod = {each["name"]: each["value"] for each in container["env"] if "value" in each}
    for environment in (image, image | compose, image | pod):
        assert load_settings({}, None, environment).host == "0.0.0.0"
    ray = yaml.safe_load((DEPLOY / "ray-serve.yaml").read_text())["applications"][0]
    assert set(ray["args"]) <= {each.name for each in fields(ServiceSettings)}
    assert load_settings(ray["args"], None, {}).keys


def test_a_pod_has_time_to_finish_what_it_accepted():
    pod = manifests()["Deployment"]["spec"]["template"]["spec"]
    values = {each["name"]: each.get("value") for each in pod["containers"][0]["env"]}
    needed = float(values["BOOLATTN_DRAIN"]) + float(values["BOOLATTN_TIMEOUT"]) + 5  # as server.py waits
    assert pod["terminationGracePeriodSeconds"] > needed


def test_containers_may_do_little():
    pod = manifests()["Deployment"]["spec"]["template"]["spec"]
    own = pod["containers"][0]["securityContext"]
    assert pod["securityContext"]["runAsNonRoot"] and own["readOnlyRootFilesystem"]
    assert own["capabilities"] == {"drop": ["ALL"]} and not own["allowPrivilegeEscalation"]
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["boolattn"]
    assert compose["read_only"] and compose["cap_drop"] == ["ALL"]
    assert all(port.startswith("127.0.0.1:") for port in compose["ports"])


def test_manifests_agree_with_each_other():
    found = manifests()
    listed = yaml.safe_load((DEPLOY / "kubernetes/kustomization.yaml").read_text())["resources"]
    assert {*listed, "kustomization.yaml"} == {path.name for path in (DEPLOY / "kubernetes").iterdir()}
    labels = found["Deployment"]["spec"]["template"]["metadata"]["labels"]
    for selector in (
        found["Deployment"]["spec"]["selector"]["matchLabels"],
        found["Service"]["spec"]["selector"],
        found["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
        found["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"],
    ):
        assert selector == labels
    assert found["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]["name"] == found["Deployment"]["metadata"]["name"]
    volumes = {each["name"] for each in found["Deployment"]["spec"]["template"]["spec"]["volumes"]}
    mounts = found["Deployment"]["spec"]["template"]["spec"]["containers"][0]["volumeMounts"]
    assert {each["name"] for each in mounts} == volumes


def test_the_dockerfile_is_linted_and_copies_what_exists():
    hadolint = Path(sys.executable).parent / "hadolint"
    found = subprocess.run([hadolint, DEPLOY / "Dockerfile"], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout
    text = (DEPLOY / "Dockerfile").read_text()
    sources = [word for line in re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE) for word in line.split()[:-1]]
    allowed = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    for source in sources:
        assert (ROOT / source).exists() and f"!{source}" in allowed
    assert {line.removeprefix("!") for line in allowed if line.startswith("!")} == set(sources)
    assert "USER 10001:10001" in text and "HEALTHCHECK" in text
