"""Outputs are whole or not there, keep modes and links, and nothing is left of processes that were killed."""

from __future__ import annotations

import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import run

import pytest

from rochull._core.files import check_writable, lock, remove_leftovers, replacing


def write(target: Path, text: str = "new") -> None:
    with replacing(target) as partial:
        Path(partial).write_text(text)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o444, 0o755])
def test_the_mode_of_what_is_replaced_stays(tmp_path: Path, kept: int) -> None:
    target = tmp_path / "x.json"
    target.write_text("old")
    target.chmod(kept)
    write(target)
    assert (target.read_text(), mode(target)) == ("new", kept)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    real, link, dangling = tmp_path / "there/real.json", tmp_path / "x.json", tmp_path / "y.json"
    real.write_text("old")
    link.symlink_to(real)
    dangling.symlink_to(tmp_path / "there/later.json")
    for path in (link, dangling):
        write(path)
        assert path.is_symlink()
        assert path.read_text() == "new"
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["later.json", "real.json"]
    (tmp_path / "z.json").symlink_to(tmp_path / "nowhere/z.json")
    with pytest.raises(FileNotFoundError, match=r"there is no directory '.*nowhere' to write to"):
        check_writable(tmp_path / "z.json")


def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path: Path) -> None:
    program = "import os, sys; from rochull._core.files import replacing; from pathlib import Path\n"
    program += (
        "os.umask(0o027)\nwith replacing(Path(sys.argv[1])) as p: print(oct(os.stat(p).st_mode & 0o777))"
    )
    done = run([sys.executable, "-c", program, tmp_path / "x"], check=True, capture_output=True, text=True)
    assert done.stdout == "0o600\n"  # nobody else reads what is not whole
    assert mode(tmp_path / "x") == 0o640


def test_nobody_else_can_have_opened_what_is_not_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, opened = {}, os.open

    def noted(path: Path, flags: int, mode: int = 0o777) -> int:
        handle = opened(path, flags, mode)
        made[handle, os.fstat(handle).st_ino] = stat.S_IMODE(os.fstat(handle).st_mode)
        return handle

    monkeypatch.setattr(os, "open", noted)
    for _ in range(2):  # new, and replaced
        with replacing(tmp_path / "x") as partial:
            own = [mode for (_, inode), mode in made.items() if inode == Path(partial).stat().st_ino]
            assert own[-1] == 0o600
        made.clear()


def test_the_umask_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: int) -> int:
        raise AssertionError("the umask belongs to all threads")

    monkeypatch.setattr(os, "umask", refused)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, [tmp_path / f"{i}" for i in range(40)]))
    assert len({mode(path) for path in tmp_path.iterdir()}) == 1


@pytest.mark.parametrize("name", ["a" * 255, "ä" * 127])
def test_a_name_as_long_as_names_may_be(tmp_path: Path, name: str) -> None:
    for text in ("one", "two"):
        with replacing(tmp_path / name) as partial:
            Path(partial).write_text(text)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["two"]


def test_a_link_that_leads_back_to_itself(tmp_path: Path) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.symlink_to(other)
    other.symlink_to(one)
    for path in (one, other):
        with pytest.raises(FileExistsError, match="is a link that leads back to itself"):
            write(path)
        assert path.is_symlink()


def test_only_files_are_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.csv")
    with pytest.raises(FileExistsError, match="is not a regular file"):
        write(tmp_path / "x.csv")


def test_an_error_of_the_system_names_the_file(tmp_path: Path) -> None:
    for given, named in (
        (OSError(28, "No space"), "x.csv"),
        (OSError(2, "None", "y"), "y"),
        (OSError("why"), None),
    ):
        with pytest.raises(OSError, match=r"No space|None|why") as raised, replacing(tmp_path / "x.csv"):
            raise given
        found = raised.value.filename
        assert (found if found is None else Path(found).name) == named
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    left, young, other = (tmp_path / f".x.csv.{n}.partial" for n in ("1", "2", "3"))
    foreign = tmp_path / ".y.csv.1.partial"
    for path in (left, young, other, foreign):
        path.write_text("rows")
    for path in (left, other, foreign):
        os.utime(path, (0, 0))
    with other.open() as held:  # by somebody who still writes
        assert lock(held.fileno())
        write(tmp_path / "x.csv")
    assert sorted(tmp_path.iterdir()) == sorted([young, other, foreign, tmp_path / "x.csv"])


def test_directories_are_removed_unless_somebody_holds_them(tmp_path: Path) -> None:
    names = ("rochull-dead", "rochull-alive", "rochull-page", "other")
    for name in names:
        (tmp_path / name).mkdir()
        if name != "rochull-page":
            (tmp_path / name / "held").touch()
        (tmp_path / name / "rows").touch()
        os.utime(tmp_path / name, (0, 0))
    with (tmp_path / "rochull-alive/held").open() as held:
        assert lock(held.fileno())
        remove_leftovers(tmp_path, "rochull-", inside="held")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])
    remove_leftovers(tmp_path / "nowhere", "")
