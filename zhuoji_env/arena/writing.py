"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a file in UTF-8 so that a crash leaves the old one or the new one, never a part."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
