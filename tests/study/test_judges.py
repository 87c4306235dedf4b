"""``irmx judges``: agreement on labels."""

import io
import lzma
import os
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import irmx
import irmx_study

HUMAN = {"q": {"a": 2, "b": 0, "c": 1, "d": 0}, "r": {"e": 1, "f": 0}}
MACHINE = {"q": {"a": 2, "b": 1, "c": 1, "d": 0}, "r": {"e": 1, "g": 0}}


def qrels_of(labels: Any, topics: int = 7) -> dict[str, dict[str, int]]:
    """Return labels of documents as qrels, document i in the topic i modulo the number of topics; NaN is unjudged."""
    rows: dict[str, dict[str, int]] = {}
    for i, grade in enumerate(labels):
        if grade == grade:
            rows.setdefault(f"q{i % topics}", {})[f"d{i}"] = grade
    return rows


def random_judges(seed: int, judges: int = 2, missing: float = 0.1) -> Any:
    """Return grades 0 to 3 of judges who often agree, documents x judges, some unjudged."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(4, 200, p=(0.5, 0.25, 0.15, 0.1))
    labels = np.clip(truth[:, None] + rng.choice(3, (200, judges), p=(0.15, 0.6, 0.25)) - 1, 0, 3).astype(float)
    labels[rng.random(labels.shape) < missing] = np.nan
    return labels


def judged(labels: Any, **choose: Any) -> irmx_study.Judges:
    return irmx_study.judges({f"j{j}": qrels_of(of) for j, of in enumerate(labels.T)}, **choose)


@pytest.mark.parametrize("seed", range(3))
def test_kappa_is_that_of_scikit_learn(seed: int) -> None:
    labels = random_judges(seed)
    row = judged(labels, rel={"j0": 2, "j1": 1}).frame().iloc[0]
    a, b = labels[~np.isnan(labels).any(axis=1)].T
    for name, weights in (("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")):
        assert row[name] == pytest.approx(metrics.cohen_kappa_score(a, b, weights=weights))
    assert row["kappa_binary"] == pytest.approx(metrics.cohen_kappa_score(a >= 2, b >= 1))
    assert row["agreement"] == pytest.approx((a == b).mean())


@pytest.mark.parametrize("judges", [2, 4])
def test_alpha_is_that_of_the_package_krippendorff(judges: int) -> None:
    labels = random_judges(5, judges, 0.3)
    result = judged(labels)
    for metric in ("nominal", "ordinal", "interval"):
        both = labels[~np.isnan(labels[:, :2]).any(axis=1)][:, :2]
        of_two = krippendorff.alpha(both.T, level_of_measurement=metric)
        assert result.frame()[f"alpha_{metric}"].iloc[0] == pytest.approx(of_two)
        if judges > 2:
            of_all = krippendorff.alpha(labels.T, level_of_measurement=metric)
            assert result.frame("together")[f"alpha_{metric}"].iloc[0] == pytest.approx(of_all)


def test_alpha_of_krippendorffs_example() -> None:
    text = "1 2 3 3 2 1 4 1 2 . . .,1 2 3 3 2 2 4 1 2 5 . 3,. 3 3 3 2 3 4 2 2 5 1 .,1 2 3 3 2 4 4 1 2 5 1 ."
    rows = [[float(cell.replace(".", "nan")) for cell in row.split()] for row in text.split(",")]
    together = judged(np.array(rows).T).frame("together").iloc[0]
    # K. Krippendorff, Computing Krippendorff's alpha-reliability, 2011
    assert [round(together[f"alpha_{m}"], 3) for m in ("nominal", "ordinal", "interval")] == [0.743, 0.815, 0.849]
    assert together["documents"] == 11


def test_ac1_and_ac2_are_those_of_irrcac() -> None:
    raw = pytest.importorskip("irrCAC.raw")
    labels = random_judges(2)
    row = judged(labels).frame().iloc[0]
    both = pd.DataFrame(labels[~np.isnan(labels).any(axis=1)])
    for name, weights in (("ac1", "identity"), ("ac2", "quadratic")):
        found = raw.CAC(both, weights=weights).gwet()["est"]["coefficient_value"]  # which has five decimal places
        assert row[name] == pytest.approx(found, abs=1e-5)


def test_counts_means_and_confusion_of_a_worked_example() -> None:
    result = irmx_study.judges({"human": HUMAN, "machine": MACHINE})
    row = result.frame().iloc[0]
    assert row[["pairs", "only_a", "only_b"]].tolist() == [5, 1, 1]
    assert row[["mean_a", "mean_b"]].tolist() == pytest.approx([4 / 5, 1])
    # 2, 1, 1 and 0 agree: p_o = 4/5; chance: (2/5)(1/5) + (2/5)(3/5) + (1/5)(1/5)
    assert row["kappa"] == pytest.approx((4 / 5 - 9 / 25) / (1 - 9 / 25))
    cells = result.frame("confusion").set_index(["grade_a", "grade_b"])["documents"]
    assert cells[cells > 0].to_dict() == {(0.0, 0.0): 1, (0.0, 1.0): 1, (1.0, 1.0): 2, (2.0, 2.0): 1}
    of_topics = result.frame("topics").set_index("query_id")
    assert of_topics["pairs"].to_dict() == {"q": 4, "r": 1}
    assert of_topics.loc["q", "agreement"] == 0.75
    assert np.isnan(of_topics.loc["r", "kappa"])  # one document: no agreement beyond chance
    bias = result.frame("judges").set_index("judge")
    assert bias.loc["human", ["documents", "mean", "relevant"]].tolist() == pytest.approx([6, 4 / 6, 3 / 6])


def test_the_mean_of_topics_is_over_those_that_have_a_value_and_intervals_enclose_estimates() -> None:
    result = judged(random_judges(3))
    by_topic, rows = result.frame("topics"), result.frame("intervals").set_index("coefficient")
    for name, row in rows.iterrows():
        known = by_topic[name].dropna()
        assert row["topics"] == len(known)
        assert row["of_topics"] == pytest.approx(known.mean())
        assert row["low"] < row["pooled"] < row["high"]
        assert row["topics_low"] < row["of_topics"] < row["topics_high"]
    again = judged(random_judges(3)).frame("intervals").set_index("coefficient")
    pd.testing.assert_frame_equal(rows, again)
    other = judged(random_judges(3), seed=1).frame("intervals").set_index("coefficient")
    assert (other["low"] != rows["low"]).any()


@pytest.mark.slow
def test_intervals_cover_the_agreement_of_a_population_of_topics() -> None:
    covered = 0
    rng = np.random.default_rng(11)
    for _ in range(100):
        agree = np.repeat(rng.beta(8, 4, 40), 20) > rng.random(800)  # the agreement of topics has the mean 2/3
        labels = np.stack([np.zeros(800), ~agree * 1.0], axis=1)
        place = np.arange(800)
        rows = [
            {f"q{t}": {f"d{i}": g for i, g in zip(place, of, strict=True) if i // 20 == t} for t in range(40)}
            for of in labels.T
        ]
        found = irmx_study.judges({"a": rows[0], "b": rows[1]}, resamples=200).intervals(0, 1)[0]
        covered += found["low"] <= 2 / 3 <= found["high"]
    assert 89 <= covered <= 99


def test_identical_judges_agree_fully_and_one_grade_is_said_to_have_no_agreement_beyond_chance() -> None:
    row = irmx_study.judges({"a": HUMAN, "b": HUMAN}).frame().iloc[0]
    assert row.loc["agreement":"ac2"].tolist() == pytest.approx([1.0] * 10)
    ones = {"q": {"a": 1, "b": 1}}
    result = irmx_study.judges({"a": ones, "b": ones})
    row = result.frame().iloc[0]
    assert row["agreement"] == 1
    assert row[["kappa", "alpha_nominal", "ac1"]].isna().all()
    assert any("undefined" in note and "a and b" in note for note in result.notes)


def test_fractional_grades_have_no_kappa_but_alpha_and_a_binary_kappa() -> None:
    shares = {"q": {"a": 0.75, "b": 0.25, "c": 0.5, "d": 0.0}, "r": {"e": 0.5}}
    result = irmx_study.judges({"human": HUMAN, "share": shares}, rel={"share": 0.5})
    row = result.frame().iloc[0]
    assert row[["kappa", "kappa_linear", "kappa_quadratic", "ac1", "ac2"]].isna().all()
    assert row["kappa_binary"] == 1
    assert row["alpha_ordinal"] == row["alpha_ordinal"]
    assert any("share" in note and "fractional" in note for note in result.notes)


def test_grades_are_mapped_and_other_scales_are_said() -> None:
    binary = {topic: {doc: min(grade, 1) for doc, grade in of.items()} for topic, of in HUMAN.items()}
    result = irmx_study.judges({"human": HUMAN, "binary": binary})
    assert any("0 1 2 (human); 0 1 (binary)" in note for note in result.notes)
    mapped = irmx_study.judges({"human": HUMAN, "binary": binary}, grades={"human": {0: 0, 1: 1, 2: 1}})
    assert mapped.frame()["kappa"].iloc[0] == 1
    assert not mapped.notes
    with pytest.raises(irmx.DataError, match=r"The judge human.* 2, which is not mapped"):
        irmx_study.judges({"human": HUMAN, "binary": binary}, grades={"human": {0: 0, 1: 1}})


def test_labels_of_judges_are_texts(tmp_path: Path, command: Any) -> None:
    """Three of four labels are equal: with .5 of FULL and .25, .5 of NONE, kappa = (.75 - .25) / (1 - .25)."""
    human = {"q": {"a": "FULL", "b": "FULL", "c": "NONE", "d": "PARTIAL"}}
    llm = {"q": {"a": "FULL", "b": "PARTIAL", "c": "NONE", "d": "PARTIAL"}}
    numbers = {"FULL": 2, "PARTIAL": 1, "NONE": 0}
    as_numbers = [{"q": {doc: numbers[label] for doc, label in judge["q"].items()}} for judge in (human, llm)]
    expected = irmx_study.judges(dict(zip(("human", "llm"), as_numbers, strict=True))).frame()
    assert expected["agreement"].iloc[0] == 0.75
    for grades in (numbers, {"human": numbers, "llm": numbers}):
        found = irmx_study.judges({"human": human, "llm": llm}, grades=grades).frame()
        pd.testing.assert_frame_equal(found, expected)
    for name, labels in (("human", human), ("llm", llm)):
        rows = (f"q,{doc},{label}" for doc, label in labels["q"].items())
        write(tmp_path / f"{name}.csv", "query_id,doc_id,relevance", *rows)
    of_all, of_each = (
        ["--grades", "FULL=2,PARTIAL=1,NONE=0"],
        [f"{n}=FULL:2,PARTIAL:1,NONE:0" for n in ("human", "llm")],
    )
    for words in (of_all, ["--grades", of_each[0], "--grades", of_each[1]]):
        done = command("judges", "human.csv", "llm.csv", *words, "-o", "csv")
        assert done.code == 0
        assert pd.read_csv(io.StringIO(done.out))["agreement"].iloc[0] == 0.75
    for words, code, said in (
        ([], 1, "human.csv, line 2"),
        (["--grades", "FULL=2,PARTIAL=1"], 1, "human.csv, line 4: the relevance is NONE"),
        (["--grades", "FULL"], 2, "OLD=NEW"),
        (["--grades", "FULL=many"], 2, "no grade"),
        ([*of_all, "--grades", of_each[0]], 2, "for all judges, and for one"),
    ):
        command("judges", "human.csv", "llm.csv", *words).assert_refused(code, said)


def write(path: Path, *rows: str) -> Path:
    path.write_text("".join(f"{row}\n" for row in rows))
    return path


def test_passes_in_one_file_are_repeats_of_which_the_first_counts_beside_others(tmp_path: Path) -> None:
    first, second = ("q 0 a 1", "q 0 b 0", "r 0 a 1", "r 0 c 0"), ("q 0 a 0", "q 0 b 0", "r 0 a 1")
    twice = write(tmp_path / "twice.qrels", *first, *second)
    once = write(tmp_path / "once.qrels", *first)
    result = irmx_study.judges([once, twice])
    assert result.frame()["agreement"].iloc[0] == 1
    repeats = result.frame("repeats").iloc[0]
    assert repeats[["judge", "pass_a", "pass_b", "pairs"]].tolist() == ["twice", 1, 2, 3]
    assert repeats["agreement"] == pytest.approx(2 / 3)
    assert any("twice judged 2 times" in note for note in result.notes)
    assert "repeats" in irmx_study.judges([twice]).tables


def test_negative_grades_are_unjudged() -> None:
    result = irmx_study.judges({"human": HUMAN, "machine": {"q": {"a": 2, "b": -1, "c": 1}}})
    assert result.frame()[["pairs", "only_a", "only_b"]].iloc[0].tolist() == [2, 4, 0]
    assert any("machine: 1 row with a negative grade" in note for note in result.notes)


@pytest.mark.parametrize(
    ("qrels", "choose", "error", "message"),
    [
        ({"a": HUMAN}, {}, irmx.UsageError, "needs two judges"),
        ({"a": HUMAN, "b": {"z": {"a": 1}}}, {}, irmx.DataError, "No two of the judges judged the same document"),
        ({"a": HUMAN, "b": {"q": {"a": -1}}}, {}, irmx.DataError, "b judge no document"),
        ({"a": HUMAN, "b": MACHINE}, {"rel": {"c": 1}}, irmx.UsageError, "names the judge 'c'"),
        ({"a": HUMAN, "b": MACHINE}, {"rel": "two"}, irmx.UsageError, "Got 'two'"),
        ({"a": HUMAN, "b": MACHINE}, {"grades": {"a": {0: -1, 1: 0, 2: 1}}}, irmx.UsageError, "at least 0. Got -1"),
        (HUMAN, {}, irmx.UsageError, "Got the qrels of one judge"),
        ({}, {}, irmx.UsageError, "Got none"),
        ({"a": HUMAN, "b": MACHINE}, {"level": 1.5}, irmx.UsageError, "level"),
        ({"a": HUMAN, "b": MACHINE}, {"resamples": 5}, irmx.UsageError, "resamples"),
    ],
)
def test_what_is_refused(qrels: Any, choose: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        irmx_study.judges(qrels, **choose)


def test_a_grade_per_document_is_no_scale() -> None:
    scored = {"q": {f"d{i}": i / 2000 for i in range(2000)}}
    with pytest.raises(irmx.DataError, match="2,000 different grades"):
        irmx_study.judges({"a": HUMAN, "b": scored})


def test_subtopics_are_refused(tmp_path: Path) -> None:
    diverse = write(tmp_path / "diverse.qrels", "q 1 a 1", "q 2 a 0")
    with pytest.raises(irmx.DataError, match="by subtopic"):
        irmx_study.judges({"a": diverse, "b": HUMAN})


# -- the command -------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """The qrels of two judges."""
    lines = [[f"{t} 0 {d} {g}" for t, of in qrels.items() for d, g in of.items()] for qrels in (HUMAN, MACHINE)]
    return [write(tmp_path / f"{name}.qrels", *rows) for name, rows in zip(("human", "machine"), lines, strict=True)]


def test_csv_has_one_row_per_pair_of_judges_with_the_promised_columns(files: list[Path], command: Any) -> None:
    done = command("judges", *files, f"again={files[0]}", "--rel", "2", "--rel", "machine=1", "-o", "csv")
    assert done.code == 0, done.err
    rows = done.rows
    columns = (
        "judge_a,judge_b,pairs,only_a,only_b,agreement,kappa,kappa_linear,kappa_quadratic,kappa_binary,alpha_nominal,"
        "alpha_ordinal,alpha_interval,ac1,ac2,mean_a,mean_b"
    )
    assert ",".join(rows[0]) == columns
    names = [(row["judge_a"], row["judge_b"]) for row in rows]
    assert names == [("human", "machine"), ("human", "again"), ("machine", "again")]
    assert "human 2, machine 1, again 2" in done.err
    by_topic = command("judges", *files, "-q", "-o", "csv")
    assert [row["query_id"] for row in by_topic.rows] == ["q", "r"]


def test_what_is_printed_for_reading(files: list[Path], command: Any, tmp_path: Path) -> None:
    out = command("judges", *files).out
    assert "kappa, quadratic" in out
    assert "grades of human (rows) and machine (columns)" in out
    assert "nan" not in out
    assert max(map(len, out.partition("\nrelevant ")[0].splitlines())) <= 80
    out = command("judges", *files, f"again={files[0]}").out
    assert "with human" in out
    assert "alpha of all 3 judges" in out
    texts = write(tmp_path / "texts.csv", "doc_id,text", "a,all of it", "b," + "a long text " * 20)
    done = command("judges", *files, "--disagreements", "1", "--texts", texts)
    assert [word for word in ("q", "b", "0", "1") if word not in done.out.split()] == []
    assert "a long text" in done.out
    assert "..." in done.out


def test_the_first_sentence_says_who_agrees_how_well(files: list[Path], command: Any, tmp_path: Path) -> None:
    out = command("judges", *files).out.splitlines()
    row = command("judges", *files, "-o", "csv").rows[0]
    assert all(word in out[0] for word in ("human", "machine", row["pairs"], f"{float(row['kappa_binary']):.2f}"))
    assert all(word in out[1] for word in (f"{float(row['mean_a']):.2f}", f"{float(row['mean_b']):.2f}"))
    first = command("judges", *files, f"again={files[0]}").out.splitlines()[0]
    assert first.index("again") < first.index("machine")  # from the best on
    lines = [f"q 0 d{place} {int(place % 3 > 0)}" for place in range(9)]
    binary = [write(tmp_path / "a.qrels", *lines), write(tmp_path / "b.qrels", "q 0 d0 1", *lines[1:])]
    rows = command("judges", *binary).out.splitlines()
    assert [
        row.split()[0].strip(",")
        for row in rows
        if row.split()[:1] and row.split()[0][:3] in ("kap", "alp", "AC1", "AC2")
    ] == ["kappa", "alpha", "AC1"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--rel", "x"), 2, "is no grade"),
        (("--rel", "other=1"), 2, "names the judge 'other'"),
        (("--rel", "1", "--rel", "2"), 2, "twice for all judges"),
        (("--grades", "0:1"), 2, "OLD:NEW"),
        (("--grades", "human=0:0"), 1, "Map all of its grades: 2, 0, 1"),
        (("-q", "--disagreements", "3"), 2, "Give one of them"),
        (("--table", "kappa"), 2, "no table 'kappa'"),
    ],
)
def test_what_the_command_refuses(words: Any, code: int, message: str, files: list[Path], command: Any) -> None:
    command("judges", *files, *words).assert_refused(code, message)


def test_two_files_of_the_same_name_need_names(files: list[Path], command: Any) -> None:
    command("judges", files[0], files[0]).assert_refused(2, "NAME=FILE")


# -- real judges -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dl21() -> Path:
    """The folder of judges of TREC DL 2021."""
    return Path(os.environ["IRMX_DATA"]) / "judges_dl21"


@pytest.mark.real
def test_agreement_of_the_judges_of_dl21(dl21: Path) -> None:
    with lzma.open(dl21 / "expected" / "agreement_vs_human.tsv.xz", "rt") as file:
        expected = pd.read_csv(file, sep="\t").set_index("judge")
    whole = ["gpt4_umbrela", "gpt4o_umbrela", "gpt4_binary", "gpt4o_binary", "llama32_binary"]
    names = ["human_nist", *whole, "llama32_umbrela"]
    rel = {name: 1 if name.endswith("binary") else 2 for name in names}
    result = irmx_study.judges({name: dl21 / "qrels" / f"{name}.qrels.xz" for name in names}, rel=rel)
    rows = result.frame().set_index(["judge_a", "judge_b"]).loc["human_nist"]
    for name in names[1:]:
        row, of = rows.loc[name], expected.loc["llama32_umbrela_pass1" if name == "llama32_umbrela" else name]
        assert row["pairs"] == of["pairs_in_common"]
        assert row["kappa_binary"] == pytest.approx(of["kappa_binary"], abs=1e-6)
        if name.endswith("umbrela"):
            columns = {"agreement": "agree_exact", "kappa": "kappa_4grade", "kappa_linear": "kappa_linear"}
            for mine, published in {**columns, "kappa_quadratic": "kappa_quadratic"}.items():
                assert row[mine] == pytest.approx(of[published], abs=1e-6)
    assert len(result.frame("repeats")) == 6
