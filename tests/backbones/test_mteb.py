"""A Boolean model in MTEB, like any other model: a small retrieval task, run by MTEB itself."""

import mteb
from datasets import Dataset
from mteb.abstasks.retrieval import AbsTaskRetrieval
from mteb.abstasks.task_metadata import TaskMetadata

from boolattn import DualEncoder

CORPUS = {
    "war": "A platoon of soldiers fights in the jungle of Vietnam.",
    "cooking": "A cooking show travels through Vietnam.",
    "other": "A love story in Paris.",
}


class Vietnam(AbsTaskRetrieval):
    metadata = TaskMetadata(
        name="Vietnam",
        description="One query that excludes something.",
        dataset={"path": "none", "revision": "none"},
        type="Retrieval",
        category="t2t",
        modalities=["text"],
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score="ndcg_at_1",
    )

    def load_data(self, *args, **kwargs):
        rows = [{"id": key, "title": "", "text": text} for key, text in CORPUS.items()]
        test = {
            "corpus": Dataset.from_list(rows),
            "queries": Dataset.from_list([{"id": "q", "text": "movies set in Vietnam but not about war"}]),
            "relevant_docs": {"q": {"cooking": 1}},
            "top_ranked": None,
        }
        self.dataset = {"default": {"test": test}}
        self.data_loaded = True


def score(model):
    result = mteb.evaluate(model, Vietnam(), cache=None, overwrite_strategy="always", show_progress_bar=False)
    return result.task_results[0].get_score()


def test_mteb_runs_a_boolean_model_and_sees_the_difference(minilm_folder):
    model = DualEncoder.training_free(str(minilm_folder))
    assert score(model.document_encoder()) == 0.0
    assert score(model) == 1.0
