"""What class statements do besides the body."""

# case: the class cell
class A:
    @staticmethod
    def own():
        return __class__
    def __init_subclass__(cls):
        cls.seen = __class__

class B(A):
    pass

result = [A.own() is A, B.own() is A, B.seen is A]
