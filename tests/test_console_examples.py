"""The commands that the pages show run, on the demo collection, and print what the pages show."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from irmx.cli.app import run as irmx
from irmx.demo import qrels_path, write_demo
from irmx_stream import write_inbox

TOP = Path(__file__).parent.parent
PAGES = [
    TOP / "README.md",
    TOP / "SKILL.md",
    TOP / "docs" / "index.md",
    TOP / "docs" / "getting-started.md",
    *sorted((TOP / "docs" / "first").glob("*.md")),
    *sorted((TOP / "docs" / "guide").glob("*.md")),
    *sorted((TOP / "plugins").glob("*/README.md")),
]
ENOUGH = '''import irmx


@irmx.measure
def Enough(ranking: irmx.Ranking, *, k: int = 1) -> float:
    """Whether at least k relevant documents are retrieved."""
    return len(ranking.relevant) >= k
'''
CLICKS = [("a", 1, 0), ("a", 3, 20), ("a", 2, 26), ("b", 1, 0), ("b", 2, 30), ("c", 2, 0), ("c", 1, 12), ("c", 3, 22)]


def blocks(page: Path) -> list[list[tuple[str, str]]]:
    """The console blocks of a page: commands with the output that is shown, without those that hold placeholders."""
    out = []
    for block in re.findall(r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
        pairs = [(p.partition("\n")[0], p.partition("\n")[2]) for p in parts]
        out.append(
            [(command, shown) for command, shown in pairs if not re.search(r"\b[A-Z]{3,}\b(?!=)", bare(command))]
        )
    return [b for b in out if b]


def bare(command: str) -> str:
    """A command without what is quoted, and without measures that need no quotes."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|\b(AP|nDCG@10)\b|\bIRMX_\w+", "", command)


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the examples name: those that ``irmx demo --into`` writes, and some small ones."""
    folder = write_demo(tmp_path_factory.mktemp("written") / "demo")
    (folder / "enough.py").write_text(ENOUGH, encoding="utf-8")
    judged = [line.split() for line in qrels_path().read_text(encoding="utf-8").splitlines()]
    topic, _, documents, _ = zip(*judged, strict=True)
    clicks = [(session, rank, time, topic[0], documents[rank]) for session, rank, time in CLICKS]
    rows = ["session\trank\ttime\tquery_id\tdoc_id", *("\t".join(map(str, row)) for row in clicks)]
    (folder / "clicks.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    other = [[t, i, d, "01"[g == "0"] if n % 5 == 0 else g] for n, (t, i, d, g) in enumerate(judged, start=1)]
    (folder / "llm.qrels").write_text("".join(f"{' '.join(row)}\n" for row in other), encoding="utf-8")
    few = sorted({t for t, *_ in judged})[:12]
    rows = [f"{' '.join(row)}\n" for row in judged if row[0] in few]
    (folder / "few.qrels").write_text("".join(rows), encoding="utf-8")
    rows = ["query_id\tdoc_id\trelevance\tstop_probability"]
    rows += [f"{topic}\t{doc}\t{grade}\t{grade}" for topic, _, doc, grade in judged]
    (folder / "judged.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    write_inbox(folder / "inbox")
    subprocess.run([sys.executable, TOP / "docs/examples/agent_traces.py"], cwd=folder, check=True)
    return folder


@pytest.fixture
def folder(tmp_path: Path, written: Path) -> Path:
    """A copy of that folder."""
    return Path(shutil.copytree(written, tmp_path, dirs_exist_ok=True))


def pattern(shown: str) -> str:
    """A regular expression for shown output: a line of three dots stands for any lines, three dots in a line for any text."""
    lines = shown.splitlines()
    return "".join(
        "(?:.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n" for line in lines
    )


def by_bash(command: str, folder: Path) -> tuple[int, str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("IRMX_")}
    environment = kept | {"PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout, done.stderr


def is_irmx_alone(command: str) -> bool:
    """Tell whether a line is one command of irmx, which leaves nothing behind in the process."""
    return re.fullmatch(r"irmx [^|&;<>`$()\n\\#]*", bare(command)) is not None and "--load" not in command


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="the examples are for a shell")
@pytest.mark.parametrize(
    "block",
    [pytest.param(b, id=f"{p.parent.name}/{p.name}-{i}") for p in PAGES for i, b in enumerate(blocks(p), start=1)],
)
def test_commands_run_and_print_what_is_shown(
    block: list[tuple[str, str]], folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Commands of irmx alone run in this process, with the words that bash makes of the line; all other lines in bash."""
    for name in [name for name in os.environ if name.startswith("IRMX_")]:
        monkeypatch.delenv(name)
    for command, shown in block:
        if is_irmx_alone(command):
            words = by_bash(f'irmx() {{ printf "%s\\0" "$@"; }}; {command}', folder)[1].split("\0")[:-1]
            monkeypatch.chdir(folder)
            with pytest.raises(SystemExit) as left:
                irmx(words)
            code, (out, err) = left.value.code, capfd.readouterr()
        else:
            code, out, err = by_bash(command, folder)
        refused = shown.startswith("irmx: ")  # a message, where everything else that is shown is standard output
        printed = err if refused else out
        assert (code != 0) is refused, (command, err)
        folder /= command.partition(" && cd ")[2]
        assert not shown or re.fullmatch(pattern(shown), printed), (command, printed)


def test_the_pages_have_commands_to_run() -> None:
    commands = [command for page in PAGES for block in blocks(page) for command, _ in block]
    assert len(commands) > 15
    assert sum("irmx eval" in c for c in commands) > 8


def test_the_readme_can_be_typed_as_it_stands() -> None:
    first, *others = blocks(TOP / "README.md")
    assert first[0][0] == "irmx demo --into demo && cd demo"
    lines = re.findall(r"^\$ (.*)$", (TOP / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert lines == [command for block in (first, *others) for command, _ in block], "a line with a placeholder"
