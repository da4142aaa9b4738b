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
