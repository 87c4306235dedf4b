"""Products of matrices with many rows and few columns, in parts that one core does."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_ONE_CORE = 2**17
"""Up to so many multiplications, BLAS libraries do a product on one core."""

_FEWEST = 32


def product_of_columns(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the product x' y of two matrices with the same rows.

    To share a product of a few milliseconds among cores that others use, too, may take a hundred times as long as the product.

    Parameters
    ----------
    x, y : array, shapes (rows, columns of x) and (rows, columns of y)
        The matrices.

    Returns
    -------
    array, shape (columns of x, columns of y)
        The product; exact for whole numbers.

    Examples
    --------
    >>> x = np.arange(300.0).reshape(100, 3)
    >>> bool((product_of_columns(x, x) == x.T @ x).all())
    True
    """
    rows = max(_FEWEST, _ONE_CORE // max(1, x.shape[1] * y.shape[1]))
    whole = len(x) // rows * rows
    parts = np.matmul(
        x[:whole].reshape(-1, rows, x.shape[1]).transpose(0, 2, 1), y[:whole].reshape(-1, rows, y.shape[1])
    )
    product: npt.NDArray[Any] = parts.sum(axis=0) + x[whole:].T @ y[whole:]
    return product
