TRIREME_RANK=1 TRIREME_SIZE=2 TRIREME_MEET=127.0.0.1:5000 TRIREME_SECRET='open sesame, open sesame' trireme doctor --json 2>/dev/null | python3 -c '
import json, sys
text = sys.stdin.read()
document = json.loads(text)
print(*document)
print(document["ok"], document["world"]["rank"], document["world"]["source"], document["secret"], "sesame" in text)
for wire in document["wires"][:2]: print(wire["wire"], wire["latency_us"] > 0, wire["bandwidth_GBps"] > 0)
'
