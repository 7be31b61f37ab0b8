# %% [markdown]
# Topics of documents: words with the largest weights in every row of components_. Usage: topics.py [DOCUMENTS.txt]
# DOCUMENTS.txt has one document per line; without it, a few sentences about three subjects are taken.

# %%
import sys
from pathlib import Path

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

import anmf

# %%
if len(sys.argv) > 2:
    sys.exit("Usage: topics.py [DOCUMENTS.txt]")
if len(sys.argv) == 2:
    documents = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
else:
    subjects = [
        "the match ended after the keeper saved a penalty and the team won the league",
        "shares fell as the bank raised its rates and the market feared inflation",
        "the telescope found a planet whose star is older than the galaxy around it",
    ]
    documents = [" ".join(subject.split()[k:] + subject.split()[: k // 2]) for subject in subjects for k in range(8)]

# %% Only the import differs from scikit-learn's example
vectorizer = TfidfVectorizer(stop_words="english")
topics = make_pipeline(vectorizer, anmf.NMF(3, random_state=0)).fit(documents)

# %%
words = vectorizer.get_feature_names_out()
for number, component in enumerate(topics[-1].components_, start=1):
    print(f"topic {number}:", ", ".join(words[component.argsort()[::-1][:6]]))
