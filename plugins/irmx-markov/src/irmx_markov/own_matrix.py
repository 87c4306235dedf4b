"""Markov models with a given transition matrix, or with two models, by the relevance of the document that the user leaves."""

from __future__ import annotations

import io
import lzma
import os
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from irmx import DataError, Formula, Param, Rankings, Symbol, UsageError
from irmx.ragged import Floats, Ints
from irmx.toolkit import content_of, new_file, plural
from irmx_markov.finite_chains import (
    check_irreducible,
    check_shape,
    check_stochastic,
    dense_enough,
    log_invariant,
    log_stationary,
    normalised_exp,
    watched,
)
from irmx_markov.markov_models import KIND

# -- transition matrices in files, which may be damaged, of another kind, or too large -------------------------------


DELIMITERS = {".csv": ",", ".tsv": "\t"}
SUFFIXES = ".npy, .npz, .csv or .tsv"

_SHOWN = 50
"""How many characters of a field a message repeats."""

_MOST_BYTES = 1 << 31
"""How many bytes the arrays of a sparse matrix may have once they are decompressed."""

_NOT_NUMPY = (
    ValueError,
    TypeError,
    OSError,
    EOFError,
    SyntaxError,
    tokenize.TokenError,
    ArithmeticError,
    RecursionError,
)
"""What numpy raises for a .npy file that is damaged or of another kind: its header is a line of Python."""

_NOT_SCIPY = (
    *_NOT_NUMPY,
    LookupError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,
    RuntimeError,
)


def load_matrix(path: Path) -> Any:
    """Read a matrix from a file, without unpickling anything.

    Parameters
    ----------
    path : Path
        A .npy, .npz (scipy.sparse), .csv or .tsv file.

    Returns
    -------
    array or scipy.sparse array
        The matrix. Its shape and size are sound, its values are not checked.

    Raises
    ------
    irmx.DataError
        If the file cannot be read as a matrix of numbers; a text file is named with the line.
    irmx.UsageError
        If the matrix is too large, or the name ends otherwise.
    """
    load = _LOADERS.get(path.suffix)
    if load is None:
        raise UsageError(f"A transition matrix is read from {SUFFIXES}. Got {os.fspath(path)!r} instead.")
    if path.is_dir():
        raise DataError(f"{path} is a folder, not a file with a transition matrix.")
    if not path.is_file():
        raise DataError(f"There is no file {os.fspath(path)!r} with a transition matrix.")
    if not path.stat().st_size:
        raise DataError(f"{path} does not hold a transition matrix: it is empty.")
    try:
        return load(path)
    except PermissionError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from None
    except MemoryError:
        raise DataError(f"There is not enough memory for the transition matrix in {path}.") from None


def _npy(path: Path) -> Any:
    """Return the array in a .npy file, whose header is compared with the size of the file before it is read."""
    try:
        with np.errstate(all="raise"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = np.lib.format.open_memmap(path, mode="r")
    except _NOT_NUMPY as error:
        if "Python objects" in str(error):
            raise DataError(
                f"{path} does not hold a transition matrix: it holds Python objects, which are not read, because they can run "
                "code. Save an array of numbers."
            ) from None
        raise _not_a_matrix(path, ".npy", "numpy.save") from None
    if values.dtype.kind not in "biufc":
        raise DataError(f"{path} does not hold a transition matrix: its values are not numbers, but {values.dtype}.")
    check_shape(values, _name(path))
    return np.array(values)


def _npz(path: Path) -> Any:
    """Return the sparse array in a .npz file, whose size is known before it is decompressed."""
    from scipy.sparse import load_npz

    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except _NOT_SCIPY:
        raise _not_a_matrix(path, ".npz", "scipy.sparse.save_npz") from None
    if size > _MOST_BYTES:
        raise UsageError(
            f"{_name(path)} has {size:,} bytes once it is decompressed; {_MOST_BYTES:,} are the most. Use fewer ranks."
        )
    try:
        with np.errstate(all="raise"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            matrix = load_npz(path)
            if hasattr(matrix, "check_format"):
                matrix.check_format(full_check=True)  # an index outside the matrix would be read from other memory
    except _NOT_SCIPY:
        raise _not_a_matrix(path, ".npz", "scipy.sparse.save_npz") from None
    if matrix.dtype.kind not in "biufc":
        raise DataError(f"{path} does not hold a transition matrix: its values are not numbers, but {matrix.dtype}.")
    return matrix


def _text(path: Path) -> Floats:
    """Return the numbers in a delimited file without a header."""
    delimiter = DELIMITERS[path.suffix]
    try:
        text = content_of(path, "transition matrix").decode()
    except UnicodeDecodeError:
        raise DataError(f"{path} does not hold a transition matrix: it is not text in UTF-8.") from None
    if not text.strip():
        raise DataError(f"{path} does not hold a transition matrix: it is empty.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a file of comments alone; its shape tells
            values: Floats = np.loadtxt(io.StringIO(text), delimiter=delimiter, ndmin=2)
    except ValueError:
        raise DataError(f"{path} does not hold a transition matrix: {_fault(text, delimiter)}") from None
    return values


def _fault(text: str, delimiter: str) -> str:
    """Return what is wrong with the first line that does not have as many numbers as the lines before."""
    width = 0
    for number, line in enumerate(io.StringIO(text), start=1):
        fields = line.partition("#")[0].strip().split(delimiter)
        if fields == [""]:
            continue
        width = width or len(fields)
        if len(fields) != width:
            return f"line {number} has {plural(len(fields), 'field')}, the lines before have {width}."
        for field in fields:
            try:
                float(field)
            except ValueError:
                shown = field if len(field) <= _SHOWN else f"{field[:_SHOWN]}..."
                return f"{shown!r} in line {number} is not a number."
    return "its lines are not numbers."


def _not_a_matrix(path: Path, suffix: str, how: str) -> DataError:
    return DataError(
        f"{path} does not hold a transition matrix: it is not a {suffix} file, or truncated or damaged. Write it again, with "
        f"'irmx markov learn-chain' or {how}."
    )


def _name(path: Path) -> str:
    """Return the name of the matrix in a file, for messages."""
    return f"The transition matrix in {path}"


_LOADERS: dict[str, Callable[[Path], Any]] = {".npy": _npy, ".npz": _npz, ".csv": _text, ".tsv": _text}


# -- Markov models with a given transition matrix --------------------------------------------------------------------


_alive: WeakValueDictionary[str, _Matrix] = WeakValueDictionary()


class _Matrix:
    """A checked transition matrix, and the logarithms of the invariant distributions of its leading blocks."""

    def __init__(self, values: Any, name: str) -> None:
        self.values = _floats(values, name)
        self.name = name
        check_stochastic(self.values, name)
        self._log_invariant: dict[int, Floats] = {}
        self._irreducible: set[int] = set()
        self.log_invariant(self.size)

    @property
    def size(self) -> int:
        """N, the number of ranks."""
        return int(self.values.shape[0])

    @property
    def digest(self) -> str:
        """A short fingerprint of the values."""
        v: Any = self.values
        parts: list[Any] = [v.indptr, v.indices, v.data] if hasattr(v, "indptr") else [v]
        import hashlib

        found = hashlib.sha256(repr(v.shape).encode())
        for part in parts:
            found.update(np.ascontiguousarray(part, dtype="<f8").tobytes())
        return found.hexdigest()[:16]

    def log_invariant(self, depth: int) -> Floats:
        """Return log pi, up to a constant, of the chain on the ranks 1..min(depth, N)."""
        n = min(depth, self.size)
        if n not in self._log_invariant:
            self._log_invariant[n] = log_invariant(self.block(n))
        return self._log_invariant[n]

    def block(self, n: int) -> Any:
        """Return the transitions among the first n ranks, scaled so that rows add up to 1."""
        if n == 1:
            return np.ones((1, 1))
        name = self.name if n == self.size else f"{self.name}, cut to the {n} documents of a shorter ranking,"
        if n == self.size:
            self._check_irreducible(self.values, name)
            return self.values
        block = self.values[:n, :n]
        sums = np.asarray(block.sum(axis=1)).ravel()
        if not sums.all():
            rank = int(np.flatnonzero(sums == 0)[0]) + 1
            raise UsageError(f"{name} has no transition from rank {rank}.")
        if hasattr(block, "tocsr"):
            from scipy.sparse import diags_array

            block = (diags_array(1 / sums) @ block).tocsr()
        else:
            block = block / sums[:, None]
        self._check_irreducible(block, name)
        return block

    def _check_irreducible(self, block: Any, name: str) -> None:
        """Check a block once, as users of finitely many steps ask for it at every topic."""
        if block.shape[0] not in self._irreducible:
            check_irreducible(block, name)
            self._irreducible.add(block.shape[0])


class TransitionMatrix(Symbol):
    """Markov model with an arbitrary transition matrix over ranks: your own, or one learned from a click log.

    Entry (i, j) is the probability of moving from rank i + 1 to rank j + 1. For a ranking of T documents the chain
    is restricted to the first min(T, N) ranks, with rows rescaled to 1; the user never looks at ranks beyond N, so relevant
    documents there have weight 0.

    Parameters
    ----------
    values : array or scipy.sparse array, shape (N, N), or callable
        Row-stochastic and irreducible; or a function of T that returns such a matrix of shape (T, T).
    file : str
        Instead of ``values``, a file with the matrix: .npy, .npz (scipy.sparse), or .csv or .tsv without a header.
    digest : str
        The fingerprint of a matrix in memory, which represents a matrix without a file in expressions.

    Raises
    ------
    irmx.UsageError
        If the matrix is not square, not stochastic or not irreducible; names the row or rank.

    Examples
    --------
    >>> import numpy as np
    >>> from irmx_markov import MP, TransitionMatrix
    >>> model = TransitionMatrix(np.array([[0.0, 1.0], [0.5, 0.5]]))
    >>> round(MP(model=model).calc_aggregate({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}), 6)
    0.5
    """

    NAME = "matrix"
    EXAMPLES = ("matrix(file='chain.npz')",)
    KIND = KIND
    SHORT_DESC = "any transition matrix over ranks, such as one learned from a click log, from a file"
    SUPPORTED_PARAMS = {
        "file": Param(str, "path of the matrix: .npy, .npz (scipy.sparse), .csv or .tsv", default=None),
        "digest": Param(str, "fingerprint of a matrix in memory", default=None),
    }

    def __init__(self, values: Any = None, **params: Any) -> None:
        super().__init__(**params)
        if (values is not None) + (self["file"] is not None) + (self["digest"] is not None) > 1:
            raise UsageError("The model 'matrix' takes only one of 'values', 'file' and 'digest'.")
        self._function: Callable[[int], Any] | None = values if callable(values) else None
        self._matrix: _Matrix | None = None
        self._by_depth: dict[int, Floats] = {}
        if self._function is not None:
            self.params["digest"] = f"function {getattr(values, '__qualname__', repr(values))} {id(values):x}"
        elif values is not None:
            self._matrix = _shared(_Matrix(values, "The transition matrix"))
            self.params["digest"] = self._matrix.digest
        elif self["file"] is not None:
            self._matrix = _Matrix(load_matrix(Path(self["file"])), f"The transition matrix in {self['file']}")
        elif self["digest"] is not None:
            self._matrix = _alive.get(self["digest"])
            if self._matrix is None:
                raise UsageError(
                    f"No transition matrix in memory has the fingerprint {self['digest']!r}. Save it to a file and write "
                    "matrix(file='...')."
                )

    @property
    def values(self) -> Any:
        """The matrix, dense or sparse; None for a function."""
        return None if self._matrix is None else self._matrix.values

    @property
    def ranks(self) -> int | None:
        """The number of ranks that the chain has; None for a function, which has all."""
        return None if self._matrix is None else self._matrix.size

    def invariant(self, rankings: Rankings) -> Floats:
        """Return pi over the relevant documents: the chain's invariant distribution, watched on them.

        Adds up to 1 within a topic, or to 0 if no relevant document is within the first N ranks.
        """
        return _on_relevant(self, rankings, lambda depth, relevant: self._full(depth))

    def watched_chain(self, depth: int, relevant: Ints, states: Ints | None = None) -> Floats:
        """Return the transition matrix of the chain watched on the relevant ranks, or other states, that are within the first N."""
        matrix = self._of_depth(depth)
        n = min(depth, matrix.size)
        within = relevant if states is None else states
        within = within[within <= n]
        if len(within) == 0:
            return np.zeros((0, 0))
        dense_enough(n, self)
        return watched(matrix.block(n), within - 1)

    def transitions(self, depth: int, relevant: Ints) -> Floats:
        """Return the transition matrix over the first min(T, N) ranks as a dense array."""
        matrix = self._of_depth(depth)
        block = matrix.block(min(depth, matrix.size))
        return np.asarray(block.toarray() if hasattr(block, "toarray") else block)

    def _full(self, depth: int) -> Floats:
        if self._function is None:
            return self._of_depth(depth).log_invariant(depth)
        if depth not in self._by_depth:
            self._by_depth[depth] = self._of_depth(depth).log_invariant(depth)
        return self._by_depth[depth]

    def _of_depth(self, depth: int) -> _Matrix:
        """Return the matrix for a ranking of ``depth`` documents."""
        if self._function is not None:
            made = _Matrix(self._function(depth), f"The transition matrix for {depth} documents")
            if made.size != depth:
                raise UsageError(f"{made.name} must have {depth} rows. It has {made.size}.")
            return made
        if self._matrix is None:
            raise UsageError(
                "The model 'matrix' needs a matrix: matrix(file='chain.npz'), or TransitionMatrix(values) in Python."
            )
        return self._matrix

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._matrix is not None:
            self._matrix = _shared(self._matrix)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the matrix to a .npy, .npz (scipy.sparse), .csv or .tsv file, which ``matrix(file=...)`` reads.

        Raises
        ------
        irmx.errors.UsageError
            If there is no matrix, or the name ends otherwise.
        irmx.errors.DataError
            If the file cannot be written; nothing is left half-written.
        """
        if self._matrix is None:
            raise UsageError("There is no matrix to save.")
        values = self._matrix.values
        dense = values.toarray() if hasattr(values, "toarray") else values
        suffix = Path(path).suffix
        content = io.BytesIO()  # numpy does not say why it cannot write to a file
        if suffix == ".npy":
            np.save(content, dense, allow_pickle=False)
        elif suffix == ".npz":
            from scipy.sparse import csr_array, save_npz

            save_npz(content, csr_array(values))
        elif suffix in DELIMITERS:
            np.savetxt(content, dense, delimiter=DELIMITERS[suffix], fmt="%.17g")
        else:
            raise UsageError(f"A matrix is saved as {SUFFIXES}. Got {os.fspath(path)!r} instead.")
        with new_file(path) as file:
            file.write(content.getbuffer())


def _on_relevant(model: Symbol, rankings: Rankings, log_pi: Callable[[int, Ints], Floats]) -> Floats:
    """Return pi over the relevant documents of every topic, from its logarithm over ranks by the depth and the relevant ranks."""
    out = np.zeros(len(rankings.relevant.rank))
    ends = rankings.relevant.offsets.tolist()
    for topic, depth in enumerate(rankings.depth.tolist()):
        here = slice(ends[topic], ends[topic + 1])
        if here.stop > here.start:
            rank = rankings.relevant.rank[here]
            over_ranks = log_pi(depth, rank)
            within = rank <= len(over_ranks)
            if not within.any():
                continue
            on_relevant = over_ranks[rank[within] - 1]
            if on_relevant.max() == -np.inf:
                raise UsageError(
                    f"The chain of the model {model!r} is at the relevant documents of query {rankings.topics[topic]} with "
                    "probabilities too small for a floating-point number. Use a dense matrix, or a cutoff."
                )
            out[here][within] = normalised_exp(on_relevant)
    return out


def _floats(values: Any, name: str) -> Any:
    """Return a copy of a matrix as floats: an array, or a sparse one without duplicate or zero entries."""
    from scipy.sparse import csr_array

    if hasattr(values, "tocsr") and not np.iscomplexobj(values):
        check_shape(values, name)
        sparse = csr_array(values, dtype=float, copy=True)
        sparse.sum_duplicates()
        sparse.eliminate_zeros()
        return sparse
    try:
        if np.iscomplexobj(values):
            raise ValueError("complex numbers")
        return np.array(values, dtype=float)
    except (ValueError, TypeError) as error:
        raise UsageError(
            f"{name} must be a square array of numbers, of numpy or scipy.sparse ({error}). For a file, write "
            "matrix(file='chain.npz')."
        ) from None


def _shared(matrix: _Matrix) -> _Matrix:
    """Return the matrix in memory with these values, so that equal matrices are shared."""
    return _alive.setdefault(matrix.digest, matrix)


# -- two models by relevance -----------------------------------------------------------------------------------------


class ByRelevance(Symbol):
    """Markov model whose user moves by one model from relevant documents, and by another from all others.

    Which documents are relevant differs between topics, so every ranking has its own chain. If one of the models has N ranks, the
    user never looks beyond them.

    Parameters
    ----------
    relevant : Markov model
        The moves from relevant documents: a model over all ranks, or a matrix.
    other : Markov model
        The moves from documents that are not relevant, or not judged.

    Raises
    ------
    irmx.UsageError
        For a model between relevant documents only, or without transition probabilities; for a ranking in which a user cannot move
        from every rank to every other, or with more than 3,000 documents.

    References
    ----------
    Ferrante, Ferro, Maistro: Injecting User Models and Time into Precision via Markov Chains. SIGIR 2014. Its section 6 asks whether
    click models, in which moves depend on relevance, can be such chains, learned from logs.

    Examples
    --------
    Ranks 2 and 3 of three are relevant. From 2, GL_AD_ID goes to 1 and 3 with 1/2 each; from 3 to 1 and 2 with .4 and .6; from 1,
    LO_AD_ID can only go to 2. Watched on the relevant ranks, the user is at 2 in two of three steps: 2/3 * 1/2 + 1/3 * 2/3 = 5/9.

    >>> import irmx
    >>> from irmx_markov import GL_AD_ID, LO_AD_ID, MP, ByRelevance
    >>> model = ByRelevance(relevant=GL_AD_ID, other=LO_AD_ID)
    >>> round(MP(model=model).calc_aggregate({"q": {"b": 1, "c": 1}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}), 6)
    0.555556
    """

    NAME = "by_relevance"
    EXAMPLES = ("by_relevance(relevant=GL_AD_ID,other=LO_AD_ID)",)
    KIND = KIND
    SHORT_DESC = (
        "moves from relevant documents by one model, from others by another, such as two learned from a click log"
    )
    FORMULA = Formula(
        r"p_{ij} = \begin{cases} p^{+}_{ij} & \text{if } i \in R \\ p^{-}_{ij} & \text{otherwise} \end{cases}",
        {
            "p_{ij}": "the probability of a move from rank $i$ to rank $j$",
            "p^{+}_{ij}": "the same by the model of relevant documents",
            "p^{-}_{ij}": "the same by the model of the others",
            "R": "the ranks of the relevant documents retrieved",
        },
        source="a choice of irmx, after section 6 of the paper",
    )
    SUPPORTED_PARAMS = {
        "relevant": Param(str, "the moves from relevant documents", kind=KIND, required=True),
        "other": Param(str, "the moves from other documents", kind=KIND, required=True),
    }

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        for name, model in self.params.items():
            if not hasattr(model, "transitions") or model.params.get("states") == "relevant":
                raise UsageError(
                    f"The {name!r} parameter of by_relevance must be a model with moves between all ranks, such as GL_AD_ID or "
                    f"matrix(file='chain.npz'). Got {model!r} instead."
                )

    @property
    def ranks(self) -> int | None:
        """The number of ranks that both models have; None if they have all."""
        limits = [n for n in (getattr(model, "ranks", None) for model in self.params.values()) if n is not None]
        return min(limits, default=None)

    def transitions(self, depth: int, relevant: Ints) -> Floats:
        """Return the transition matrix over the first min(T, N) ranks of one topic."""
        if len(self.params) < len(self.SUPPORTED_PARAMS):
            raise UsageError(f"The model 'by_relevance' needs its two models: {self.EXAMPLES[0]}.")
        n = min(depth, self.ranks or depth)
        dense_enough(n, self)
        within = relevant[relevant <= n]
        at_relevant = np.isin(np.arange(1, n + 1), within)
        one, other = (self[name].transitions(n, within) for name in ("relevant", "other"))
        chain: Floats = np.where(at_relevant[:, None], one, other)
        check_irreducible(
            chain, f"The chain of the model {self!r}, over {plural(n, 'rank')} with {len(within)} relevant,"
        )
        return chain

    def invariant(self, rankings: Rankings) -> Floats:
        """Return pi over the relevant documents: the invariant distribution of each topic's chain, watched on them."""
        return _on_relevant(self, rankings, lambda depth, relevant: log_stationary(self.transitions(depth, relevant)))

    def watched_chain(self, depth: int, relevant: Ints, states: Ints | None = None) -> Floats:
        """Return the transition matrix of the chain watched on the relevant ranks, or other states, that are within the first N."""
        chain = self.transitions(depth, relevant)
        within = relevant if states is None else states
        within = within[within <= len(chain)]
        return watched(chain, within - 1) if len(within) else np.zeros((0, 0))


MATRIX, BY_RELEVANCE = TransitionMatrix(), ByRelevance()
