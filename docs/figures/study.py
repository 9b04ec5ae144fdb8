"""Draw what each system of the study finds and what it still lets through: python docs/figures/study.py."""

import json
import tomllib
from collections import defaultdict
from pathlib import Path
from statistics import fmean

import matplotlib.pyplot as plt

ROOT = Path(__file__).parents[2]
PANELS = (
    ("films", "all genre pairs A not B", "P@20", "139 x 'A films that are not B films'"),
    ("debian", None, "nDCG@10", "Debian packages, never trained on"),
)
RIGHT, WRONG = "#0b6e99", "#c2571a"


def main() -> None:
    """Write the figure next to this file."""
    seeds = defaultdict(list)
    for path in (ROOT / "results" / "minilm-study" / "results").glob("*.json"):
        found = json.loads(path.read_text(encoding="utf-8"))
        seeds[found["system"]].append(found["benchmarks"])
    recipe = tomllib.loads((ROOT / "recipes" / "minilm-study.toml").read_text(encoding="utf-8"))
    systems = [system["name"] for system in recipe["systems"] if system["name"] in seeds]
    labels = [name if len(seeds[name]) == 1 else f"{name} ({len(seeds[name])} seeds)" for name in systems]
    figure, axes = plt.subplots(1, len(PANELS), figsize=(11, 5.6), sharey=True, constrained_layout=True)
    for axis, (benchmark, template, measure, title) in zip(axes, PANELS, strict=True):
        for place, name in enumerate(systems):
            reports = [each[benchmark]["report"] for each in seeds[name] if benchmark in each]
            values = [report["by_template"][template] if template else report["measures"] for report in reports]
            right, wrong = (fmean(value[each] for value in values) for each in (measure, "violation@20"))
            axis.plot([wrong, right], [place, place], color="#d5d9df", zorder=1)
            axis.scatter(right, place, color=RIGHT, label=f"{measure}: more is better" if not place else None)
            axis.scatter(wrong, place, color=WRONG, label="violation@20: less is better" if not place else None)
        axis.set_yticks(range(len(systems)), labels)
        axis.set_xlim(0, None)
        axis.set_title(title, loc="left", fontsize=11)
        axis.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.05), fontsize=9)
        axis.spines[["top", "right", "left"]].set_visible(False)
        axis.grid(axis="x", color="#eef0f3")
        axis.set_axisbelow(True)
    axes[0].invert_yaxis()
    path = Path(__file__).with_name("study.png")
    figure.savefig(path, dpi=150)
    print(path)


if __name__ == "__main__":
    main()
