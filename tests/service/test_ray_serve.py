"""The service on Ray Serve; docs/operations.md has the output of a run on a local Ray."""

import pytest

from boolattn.service.keys import add_key
from boolattn.service.ray_serve import application
from boolattn.service.settings import SettingsError


def test_without_keys_it_is_refused():
    with pytest.raises(SettingsError, match="keys are needed"):
        application({})


def test_with_keys_it_is_one_deployment(tmp_path):
    add_key(tmp_path / "keys.json", "ann")
    bound = application({"keys": str(tmp_path / "keys.json")})
    assert bound._bound_deployment.name == "boolattn"  # as in deploy/ray-serve.yaml
