# case: identity numbers
a = []
b = []
result = [id(a) == id(a), id(a) == id(b), id(a) != id(b), isinstance(id(3), int), id(None) == id(None), id(len) == id(len), id(a) > 0, len({id(x) for x in (a, b, a)})]
class C: pass
c, d = C(), C()
result += [id(c) == id(c), id(c) == id(d), id(C) == id(C), {id(c): 1}[id(c)]]
# case: hashes of nested keys
class K:
    def __init__(self, v): self.v = v
    def __hash__(self): return hash(("K", self.v))
    def __eq__(self, o): return isinstance(o, K) and self.v == o.v
d = {(1, K(2)): "a", frozenset([K(3), 4]): "b", ((), ((K(5),),)): "c"}
result = [d[(1, K(2))], d[frozenset([4, K(3)])], d[((), ((K(5),),))], (1, K(9)) in d, hash((K(1), 2)) == hash((K(1), 2)), hash(K(1)) == hash(K(1)), len({K(1), K(1), K(2)}), hash(frozenset([1, 2])) == hash(frozenset([2, 1])), hash((1, (2, 3))), hash(1.5) == hash(1.5), hash("a") == hash("a"), hash(-1), hash(2**61 - 1), {1: "x", 1.0: "y", True: "z"}]
def attempt(f, *args, **kw):
    try:
        return f(*args, **kw)
    except Exception as e:
        return type(e).__name__, str(e)
result += [attempt(hash, ([],)), attempt(hash, (1, {})), attempt(lambda: {(1, [2]): 3})]