"""Ranks of three markers of 113 patients, by which pROC's published numbers can be checked.

From the data frame aSAH of the R package pROC (Turck et al. 2010, Intensive Care Medicine 36, 107-115;
Robin et al. 2011, BMC Bioinformatics 12, 77). Of each marker only the ranks are kept, which is all that
ROC analysis reads: the number of distinct lower values.
"""

import numpy as np
from numpy.typing import NDArray


def digits(text: str) -> NDArray[np.int64]:
    """The digits of a text (n,)."""
    return np.array(list(text), np.int64)


# 41 patients had a poor outcome.
POOR = digits(
    "000011010010110010111010000000001001101100000000011000100"
    "01010011101101111000110100000010000000000001111110001000"
)
WFNS = digits(
    "111132541252551252252111121211342145414255112411255212512"
    "22151125214524414121421232421451154221113125225552445111"
)
S100B = np.array([
    10, 11, 7, 1, 10, 7, 35, 13, 15, 7, 9, 7, 32, 43, 1, 5, 37, 1, 4, 26, 6, 6, 4, 8, 4, 14, 4, 8, 10, 16,
    2, 13, 30, 11, 27, 28, 36, 6, 48, 20, 38, 34, 13, 4, 31, 33, 8, 5, 6, 47, 39, 5, 3, 10, 49, 7, 11, 12,
    4, 3, 45, 2, 6, 24, 0, 6, 1, 18, 42, 6, 22, 43, 5, 21, 5, 13, 6, 10, 7, 5, 8, 26, 8, 23, 4, 7, 25, 17,
    4, 2, 19, 29, 7, 12, 5, 11, 7, 4, 1, 16, 40, 11, 41, 25, 46, 44, 12, 35, 14, 32, 12, 38, 36,
])  # fmt: skip
NDKA = np.array([
    0, 26, 22, 41, 81, 60, 7, 65, 75, 8, 77, 82, 4, 27, 66, 85, 48, 78, 96, 104, 97, 103, 99, 30, 9, 55,
    12, 10, 107, 61, 34, 35, 37, 83, 3, 71, 89, 21, 16, 24, 13, 32, 64, 20, 73, 100, 17, 15, 57, 68, 1, 29,
    18, 63, 108, 94, 90, 38, 86, 52, 40, 105, 11, 47, 54, 69, 79, 92, 62, 33, 88, 23, 106, 75, 42, 44, 74,
    5, 32, 2, 87, 80, 59, 29, 46, 84, 45, 6, 53, 19, 36, 43, 95, 25, 56, 62, 101, 50, 58, 28, 31, 98, 51,
    72, 102, 49, 93, 39, 70, 76, 91, 14, 67,
])  # fmt: skip
