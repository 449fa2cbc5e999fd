"""Random calls of generators and coroutines that run, wait for each other and are dropped. Prints how many it made."""

import random
import sys

pool=[]
calls=0
def act(depth=0):
    global calls
    calls+=1
    if not pool: return
    k=random.randrange(len(pool)); g=pool[k]
    w=random.randrange(12)
    try:
        if w==0: g.close()
        elif w==1: g.throw(GeneratorExit)
        elif w==2: g.throw(KeyError)
        elif w==3: g.send(None)
        elif w==4: next(g)
        elif w==5: pool[k]=make()
        elif w==6: del pool[k]
        elif w==7: g.__next__()
        elif w==8: getattr(g,'__del__',int)()
        elif w==9:
            f=getattr(g,'gi_frame',None) or getattr(g,'cr_frame',None)
            if f: f.f_locals; f.clear()
        elif w==10: sys._getframe(min(1,depth)).clear()
        elif w==11:
            for _ in g: break
    except RecursionError: pass
    except Exception: pass
    except GeneratorExit: pass
class It:
    def __iter__(self): return self
    def __next__(self): act(1); return 1
    def close(self): act(1)
    def throw(self,*a): act(1); raise a[0] if isinstance(a[0],BaseException) else a[0]()
async def co():
    act(1)
    await aw()
    act(1)
class aw:
    def __await__(self):
        act(1); yield 1; act(1)
def make():
    t=random.randrange(5)
    if t==3: return co()
    def body():
        x=[1,2,3]
        try:
            for _ in range(random.randrange(4)):
                act(1); yield x; act(1)
            if t==0 and pool:
                s=random.choice(pool)
                if hasattr(s,'__next__'): yield from s
            elif t==1: yield from It()
            elif t==2: yield from [i for i in (1,2)]
        except KeyError: act(1); yield 5
        finally: act(1); len(x)
    return body()
for seed in range(400):
    random.seed(seed); pool=[make() for _ in range(6)]; sys.setrecursionlimit(120)
    for _ in range(300):
        act()
        if len(pool)<6: pool.append(make())
print('calls', calls)
