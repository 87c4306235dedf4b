"""Topics of the track whose XML declares entities."""

from pathlib import Path

import pytest

import irmx
from irmx_stream.tst.tst_folder import read_topics


def test_entities_that_contain_entities_are_refused(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">\n' for i in range(1, 10))
    path = tmp_path / "topics.xml"
    path.write_text(f'<!DOCTYPE t [<!ENTITY l0 "lol">{entities}]>\n<t><event><id>1</id><title>&l9;</title></event></t>')
    with pytest.raises(irmx.DataError, match=r"topics.xml, line 1: the entity 'l0' is declared; topics have none"):
        read_topics(path)
