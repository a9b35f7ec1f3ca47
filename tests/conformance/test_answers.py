"""The compiled engine in Node gives the answers of Python, to the last bit."""

from __future__ import annotations

import subprocess
import time
from collections import Counter

from flatten import difference
from ground_truth import Ground
from javascript import HERE, node

VERDICTS = {"fits", "tight", "unified", "offload", "exceeds", "unknown"}


def test_node_answers_as_python_does(ground: Ground, case_count: int) -> None:
    started = time.monotonic()
    cases = ground.cases(case_count)
    script = str(HERE / "answer_in_node.mjs")
    said = ground.folder / "errors.txt"
    with (
        said.open("w") as errors_file,
        subprocess.Popen(
            [node(), script, str(ground.folder)],
            stdout=subprocess.PIPE,
            stderr=errors_file,
            encoding="utf-8",
        ) as running,
    ):
        expected = ground.answers(cases)
        assert running.stdout is not None
        found = running.stdout.read().split("\n")
    assert running.returncode == 0, said.read_text()[-3000:]
    assert len(found) == len(expected) >= case_count
    wrong = [place for place in range(len(cases)) if found[place] != expected[place]]
    text = "\n".join(
        f"{cases[place]}: {difference(expected[place], found[place])}" for place in wrong[:5]
    )
    assert not wrong, f"{len(wrong)} of {len(cases)} answers differ:\n{text}"
    seen = {verdict for verdict in VERDICTS if any(f'"{verdict}"' in one for one in expected)}
    assert seen == VERDICTS
    errors = Counter(answer for answer in expected if answer.endswith(',""]'))
    print(f"{len(cases)} answers equal in {time.monotonic() - started:.1f} s; refused: {errors}")
    assert len(errors) >= 4
    assert 0 < sum(errors.values()) < len(cases) / 2
