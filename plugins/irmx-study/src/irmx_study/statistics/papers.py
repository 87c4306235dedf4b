"""The papers that tests, corrections and intervals come from, as BibTeX entries."""

from __future__ import annotations

STUDENT = """@article{Student1908, author = {Student}, title = {The Probable Error of a Mean}, journal = {Biometrika},
 volume = {6}, number = {1}, pages = {1--25}, year = {1908}, doi = {10.1093/biomet/6.1.1}}"""

URBANO = """@inproceedings{UrbanoLimaHanjalic2019, author = {Juli{\\'a}n Urbano and Harlley Lima and Alan Hanjalic},
 title = {Statistical Significance Testing in Information Retrieval: An Empirical Analysis of Type {I}, Type {II} and Type {III} Errors},
 booktitle = {Proceedings of the 42nd International ACM SIGIR Conference on Research and Development in Information Retrieval},
 pages = {505--514}, year = {2019}, doi = {10.1145/3331184.3331259}}"""

FISHER = """@book{Fisher1935, author = {Ronald A. Fisher}, title = {The Design of Experiments}, publisher = {Oliver and Boyd},
 address = {Edinburgh}, year = {1935}}"""

SMUCKER = """@inproceedings{SmuckerAllanCarterette2007, author = {Mark D. Smucker and James Allan and Ben Carterette},
 title = {A Comparison of Statistical Significance Tests for Information Retrieval Evaluation},
 booktitle = {Proceedings of the Sixteenth ACM Conference on Information and Knowledge Management}, pages = {623--632},
 year = {2007}, doi = {10.1145/1321440.1321528}}"""

WILCOXON = """@article{Wilcoxon1945, author = {Frank Wilcoxon}, title = {Individual Comparisons by Ranking Methods},
 journal = {Biometrics Bulletin}, volume = {1}, number = {6}, pages = {80--83}, year = {1945}, doi = {10.2307/3001968}}"""

DIXON = """@article{DixonMood1946, author = {W. J. Dixon and A. M. Mood}, title = {The Statistical Sign Test},
 journal = {Journal of the American Statistical Association}, volume = {41}, number = {236}, pages = {557--566},
 year = {1946}, doi = {10.1080/01621459.1946.10501898}}"""

TUKEY = """@unpublished{Tukey1953, author = {John W. Tukey}, title = {The Problem of Multiple Comparisons},
 note = {Unpublished manuscript, Princeton University}, year = {1953}}"""

SAKAI = """@book{Sakai2018, author = {Tetsuya Sakai},
 title = {Laboratory Experiments in Information Retrieval: Sample Sizes, Effect Sizes, and Statistical Power},
 publisher = {Springer}, year = {2018}, doi = {10.1007/978-981-13-1199-4}}"""

CARTERETTE = """@article{Carterette2012, author = {Benjamin A. Carterette},
 title = {Multiple Testing in Statistical Analysis of Systems-Based Information Retrieval Experiments},
 journal = {ACM Transactions on Information Systems}, volume = {30}, number = {1}, pages = {4:1--4:34}, year = {2012},
 doi = {10.1145/2094072.2094076}}"""

EFRON = """@article{Efron1987, author = {Bradley Efron}, title = {Better Bootstrap Confidence Intervals},
 journal = {Journal of the American Statistical Association}, volume = {82}, number = {397}, pages = {171--185},
 year = {1987}, doi = {10.1080/01621459.1987.10478410}}"""

HOLM = """@article{Holm1979, author = {Sture Holm}, title = {A Simple Sequentially Rejective Multiple Test Procedure},
 journal = {Scandinavian Journal of Statistics}, volume = {6}, number = {2}, pages = {65--70}, year = {1979}}"""

DUNN = """@article{Dunn1961, author = {Olive Jean Dunn}, title = {Multiple Comparisons among Means},
 journal = {Journal of the American Statistical Association}, volume = {56}, number = {293}, pages = {52--64},
 year = {1961}, doi = {10.1080/01621459.1961.10482090}}"""

HOMMEL = """@article{Hommel1988, author = {G. Hommel},
 title = {A Stagewise Rejective Multiple Test Procedure Based on a Modified {B}onferroni Test}, journal = {Biometrika},
 volume = {75}, number = {2}, pages = {383--386}, year = {1988}, doi = {10.1093/biomet/75.2.383}}"""

BENJAMINI = """@article{BenjaminiHochberg1995, author = {Yoav Benjamini and Yosef Hochberg},
 title = {Controlling the False Discovery Rate: A Practical and Powerful Approach to Multiple Testing},
 journal = {Journal of the Royal Statistical Society: Series B (Methodological)}, volume = {57}, number = {1},
 pages = {289--300}, year = {1995}, doi = {10.1111/j.2517-6161.1995.tb02031.x}}"""

YEKUTIELI = """@article{BenjaminiYekutieli2001, author = {Yoav Benjamini and Daniel Yekutieli},
 title = {The control of the false discovery rate in multiple testing under dependency},
 journal = {The Annals of Statistics}, volume = {29}, number = {4}, pages = {1165--1188}, year = {2001},
 doi = {10.1214/aos/1013699998}}"""

MEIJER = """@article{MeijerKrebsGoeman2019, author = {Rosa J. Meijer and Thijmen J. P. Krebs and Jelle J. Goeman},
 title = {Hommel's procedure in linear time}, journal = {Biometrical Journal}, volume = {61}, number = {1},
 pages = {73--82}, year = {2019}, doi = {10.1002/bimj.201700316}}"""

WESTFALL = """@book{WestfallYoung1993, author = {Peter H. Westfall and S. Stanley Young},
 title = {Resampling-Based Multiple Testing: Examples and Methods for p-Value Adjustment}, publisher = {Wiley},
 address = {New York}, year = {1993}}"""
