"""``irmx plugins``: what is installed, what it offers, what failed and why."""

from __future__ import annotations

from irmx.adapters.ir_datasets import offering
from irmx.plugin.discovery import HOST
from irmx.registry import registry


def plugins() -> None:
    """Show every plugin and what it offers.

    With its version, and where it is not in use, why not.
    """
    for info in registry().plugins.values():
        title = info.name if info.name == HOST else f"{info.name} ({info.distribution or 'no distribution'})"
        print(f"{title} {info.version}" + (f", loaded in {info.seconds:.2f} s" if info.seconds > 1 else ""))
        if info.failure:
            print(f"  not in use: {info.failure}")
        for what, names in info.offers.items():
            print(f"  {what}: {', '.join(names)}")
        for what, names in info.refused.items():
            print(f"  refused, as another has the name: {what} {', '.join(names)}")
        for name in filter(offering.is_taken, info.offers.get("datasets", ())):
            print(f"  not in use: the dataset {name!r}, as ir_datasets has one of this name")
