"""Write the traces of two made-up agents that answer the same 30 questions, and the documents that they should find."""

import json
import random

random.seed(1)
SESSIONS = [f"chat-{i}" for i in range(30)]
with open("chats.qrels", "w") as qrels:
    for i, session in enumerate(SESSIONS):
        print(session, 0, f"d{i}", 1, file=qrels)
for name, searches, chance, tokens in (("careful", 3, 0.8, 900), ("quick", 1, 0.6, 300)):
    with open(f"{name}.jsonl", "w") as trace:
        for i, session in enumerate(SESSIONS):
            for _ in range(searches):
                documents = ["x1", "x2", "x3"]
                if random.random() < chance:
                    documents[random.randrange(3)] = f"d{i}"
                search = {"session": session, "documents": documents, "tokens": tokens + random.randrange(200)}
                print(json.dumps(search), file=trace)
