import autodiff_viz as av, json,zlib,re
from autodiff_viz.standalone.page import *
from autodiff_viz.standalone import page
g=av.parse("x = 2.0\na = sin(x)\ny = a * x"); t=av.trace(g)
h=t._repr_html_(); print("cell",len(h.encode()))
f=av.to_html(t,check=False); print("file",len(f.encode()))
s,css=parts(False); print("script",len(s),"css",sum(map(len,css.values())),"page css",len(page_style(False)))
held=re.search(r'id="held">(.*?)</script>', f, re.DOTALL)[1]; print("held",len(held), "packed", len(json.loads(held)["packed"]))
print("svg",len(picture(t)) if 'picture' in globals() else 0)
from autodiff_viz.canvas.svg import picture
print("svg",len(picture(t)))
import base64
print("script packed",len(base64.b64encode(zlib.compress((s+json.dumps(css)).encode(),9))))
d=json.loads(zlib.decompress(base64.b64decode(json.loads(held)["packed"])))
for k,v in d["states"][0].items(): print(k,len(json.dumps(v)))
open("/tmp/a.html","w").write(f)
