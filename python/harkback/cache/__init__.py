"""The cache: segments that outlive a process, in a folder of Harkback's own.

``folder`` says where it lies and whether it may be trusted, ``packs`` what the files of segments
are, ``manifest`` which segments there are and of which state, ``shelf`` what one Recall takes from
them, ``writing`` how more gets there. Invariant: whatever the folder holds, answers are the same;
what is not whole, not current or not of this version is made anew from the Source. Only surviving
text is stored, and names of Sources and Sessions only as digests.
"""

from __future__ import annotations

from harkback.cache.manifest import Place
from harkback.cache.shelf import SegmentCache, Shelf, digest

__all__ = ["Place", "SegmentCache", "Shelf", "digest"]
