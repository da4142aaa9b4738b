# case: methods of bytes
result = []
for b in (b'Hello World', b'', b' a,b,,c\t\n', bytes([0, 255, 97]), bytearray(b'Abc aBC 12')):
    result.append((b.upper(), b.lower(), b.title(), b.swapcase(), b.capitalize(), b.strip(), b.lstrip(b' H'), b.rstrip(b'\nd')))
    result.append((b.split(), b.split(b','), b.rsplit(b',', 1), b.split(None, 1), b.rsplit(None, 1), b.splitlines(), b.splitlines(True)))
    result.append((b.find(b'l'), b.rfind(b'l'), b.find(98), b.count(b'l'), b.count(b''), b.partition(b','), b.rpartition(b',')))
    result.append((b.replace(b'l', b'LL', 2), b.replace(b'', b'-', 3), b.center(14, b'*'), b.ljust(12), b.rjust(13, b'.'), b.zfill(14)))
    result.append((b.isalpha(), b.isalnum(), b.isdigit(), b.isspace(), b.islower(), b.isupper(), b.istitle(), b.isascii()))
    result.append((b.startswith((b'H', b' ')), b.endswith(b'2', 3), b.join([b'x', bytearray(b'y')]), b.hex(), b.hex('-'), b.expandtabs(4)))
    result.append((b.removeprefix(b'Hello'), b.removesuffix(b'12'), b.translate(None, b'lo'), b.translate(bytes.maketrans(b'ab', b'xy'))))
# case: errors of bytes methods
result = []
def attempt(f):
    try:
        result.append(f())
    except Exception as error:
        result.append((type(error).__name__, str(error)))
for f in (
    lambda: b'a'.split(''), lambda: b'a'.split(b''), lambda: b'a'.find('a'), lambda: b'a'.find(256), lambda: b'a'.index(b'b'),
    lambda: b'a'.join(['b']), lambda: b'a'.join(5), lambda: b'a'.startswith('a'), lambda: b'a'.startswith(('a',)), lambda: b'a'.center(3, 'x'),
    lambda: b'a'.replace('a', 'b'), lambda: b'a'.strip('a'), lambda: b'a'.partition(b''), lambda: b'a'.translate(b'short'),
    lambda: bytes('a'), lambda: bytes('é', 'ascii'), lambda: bytes('é', 'latin-1'), lambda: bytes(3, 'utf-8'), lambda: bytes([300]), lambda: bytes(-1),
    lambda: b'\xff'.decode(), lambda: b'a\xe9'.decode('ascii'), lambda: b'\xe9'.decode('latin1'), lambda: b'\xffa'.decode(errors='ignore'),
    lambda: b'\xffa'.decode('utf-8', 'replace'), lambda: 'aé€'.encode('ascii', 'replace'), lambda: 'é€'.encode('latin-1'), lambda: b'a'.decode('nope'),
    lambda: str(b'\xc3\xa9', 'utf-8'), lambda: str(b'a', errors='strict'), lambda: str(5, 'utf-8'), lambda: str('a', 'utf-8'), lambda: b'\xff'.decode('utf-8', 'nope'),
):
    attempt(f)
# case: arguments of decoding errors
result = []
for f in (lambda: b'ab\xe3\x81'.decode(), lambda: 'aé€b'.encode('ascii'), lambda: 'a😀'.encode('latin-1')):
    try:
        f()
    except UnicodeError as error:
        result.append((error.args, error.encoding, error.object, error.start, error.end, error.reason, str(error), repr(error)))
try:
    UnicodeDecodeError('a')
except TypeError as error:
    result.append(str(error))
# case: bytearray changes in place
a = bytearray(b'abc')
b = a
a.append(100)
a += b'ef'
a.extend([1, 2])
a.insert(0, 65)
a[1] = 66
a[2:4] = b'XYZ'
del a[-1], a[::4]
result = [a, b is a, len(a), a[0], a[1:3], a.pop(), a.pop(0), a.copy() == a, a.copy() is a, bytes(a), list(a), a + b'!', b'!' + a, a * 2, b'Y' in a, 90 in a]
a *= 2
a.reverse()
a.remove(a[0])
result += [a, a == bytes(a), a < b'zz', bytearray(3), bytearray('é', 'utf-8'), bytearray.fromhex('0aff'), isinstance(a, bytearray), type(a).__name__, bool(bytearray())]
a.clear()
for f in (lambda: a.pop(), lambda: a.append(256), lambda: a.append('a'), lambda: hash(a), lambda: a[0], lambda: a.remove(1), lambda: a + 'x', lambda: {a: 1}):
    try:
        result.append(f())
    except Exception as error:
        result.append((type(error).__name__, str(error)))
# case: bytes of an object
class B:
    def __init__(self, value):
        self.value = value
    def __bytes__(self):
        return self.value
result = [bytes(B(b'x'))]
try:
    bytes(B('text'))
except TypeError as error:
    result.append(str(error))
