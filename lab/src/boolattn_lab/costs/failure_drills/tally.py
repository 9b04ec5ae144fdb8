"""What chaos did, and what it found."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from boolattn_lab.costs.failure_drills.faults import Faults

_KEPT = 20


@dataclass(slots=True)
class Tally:
    """Counts of disturbances, checks and faults.

    Attributes:
        index: The address of the index.
        seed: Of everything that was chosen at random; moments depend on the machine too.
        seconds: How long it took.
        rounds: How many versions of the corpus were encoded, indexed and compared.
        kills: Processes that were killed, by kind.
        others: Other disturbances, by kind.
        documents: How many documents were compared, over all rounds.
        answers: How many answers of searching processes were checked.
        faults: Documents lost, duplicated or wrong.
        wrong_answers: How many answers were wrong.
        incomplete_answers: How many answers lacked documents that were just being rewritten, on Milvus.
        failures: What else went wrong: a command that failed, crashed or did not notice damage.
    """

    index: str
    seed: int
    seconds: float = 0.0
    rounds: int = 0
    kills: Counter[str] = field(default_factory=lambda: Counter(encode=0, index=0, search=0))
    others: Counter[str] = field(default_factory=Counter)
    documents: int = 0
    answers: int = 0
    faults: Faults = field(default_factory=Faults)
    wrong_answers: int = 0
    incomplete_answers: int = 0
    failures: list[str] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Whether nothing went wrong."""
        return not (self.faults or self.wrong_answers or self.failures)

    def fail(self, problem: str) -> None:
        """Note that something went wrong."""
        self.failures.append(f"round {self.rounds + 1}: {problem}")

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        return {
            "index": self.index,
            "seed": self.seed,
            "seconds": round(self.seconds),
            "rounds": self.rounds,
            "kills": {**self.kills, "all": self.kills.total()},
            "others": dict(sorted(self.others.items())),
            "documents": self.documents,
            "answers": self.answers,
            "lost": self.faults.lost,
            "duplicated": self.faults.duplicated,
            "wrong": self.faults.wrong,
            "wrong_answers": self.wrong_answers,
            "incomplete_answers": self.incomplete_answers,
            "failures": self.failures[:_KEPT],
        }
