"""The form of TIRA's evaluators."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

QRELS, RUN = "q 0 a 1\nr 0 b 1\n", "q Q0 a 1 2 t\nr Q0 x 1 2 t\nr Q0 b 2 1 t\n"


def test_values_have_keys(tmp_path: Path, command: Callable[..., Any]) -> None:
    (tmp_path / "qrels").write_text(QRELS)
    for name in ("one.run", 'two "2".run'):
        (tmp_path / name).write_text(RUN)

    def measures(*arguments: Any) -> dict[str, str]:
        done = command("eval", "qrels", *arguments, "-o", "prototext", cwd=tmp_path)
        assert (done.code, done.err) == (0, "")
        found = re.findall(r'measure \{\n  key: "(.*)"\n  value: "(.*)"\n\}\n', done.out)
        assert len(found) == done.out.count("measure {")
        return dict(found)

    assert (command("measures", "-o", "prototext").code, command("measures", "-o", "prototext").out) == (2, "")
    assert measures("one.run", "AP", "NumRet") == {"AP": "0.7500", "NumRet": "3.0000"}
    assert measures("one.run", "AP", "-p", "-1", "-q") == {"q AP": "1.0", "r AP": "0.5", "all AP": "0.75"}
    assert measures("one.run", 'two "2".run', "RR") == {"one.run RR": "0.7500", r"two \"2\".run RR": "0.7500"}
