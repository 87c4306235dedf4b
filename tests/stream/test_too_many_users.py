"""Numbers of simulated users that no computer can simulate."""

import pytest

import irmx


@pytest.mark.parametrize("users", [10**7, 10**9])
def test_too_many_users(users: int) -> None:
    with pytest.raises(
        irmx.UsageError, match=r"'users' parameter of MSU must be an int in the range \[1, 1.024e\+06\]"
    ):
        irmx.parse_measure(f"MSU(users={users})")
