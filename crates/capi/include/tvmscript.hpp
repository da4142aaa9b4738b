// TVMScript from C++17: nodes with their text, and builders.
//
// Everything is over the C interface in `tvmscript.h`. Errors are exceptions of the type `tvmscript::Error`, which have all messages. The
// programs that `tvmscript emit --target cpp-builder` writes use the namespace `tvmscript::builder`.
#ifndef TVMSCRIPT_HPP
#define TVMSCRIPT_HPP

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tvmscript.h"

namespace tvmscript {

/// A failed call, with all messages of its errors.
class Error : public std::runtime_error {
public:
    Error(tvmscript_status status, const std::string &message) : std::runtime_error(message), status(status) {}
    /// The status of the call.
    const tvmscript_status status;
};

namespace detail {

inline tvmscript_str str(std::string_view text) { return {text.data(), text.size()}; }

inline std::string string(tvmscript_str text) {
    return text.len == 0 ? std::string() : std::string(text.data, text.len);
}

/// Copies a text and frees it.
inline std::string take(tvmscript_text text) {
    tvmscript_str view{};
    std::string copy;
    if (tvmscript_text_get(text, &view) == TVMSCRIPT_STATUS_OK) {
        copy = string(view);
    }
    tvmscript_text_free(text);
    return copy;
}

inline void check(tvmscript_status status) {
    if (status != TVMSCRIPT_STATUS_OK) {
        throw Error(status, tvmscript_status_text(static_cast<int32_t>(status)));
    }
}

/// Throws the errors of a failed call, and frees them.
inline void check(tvmscript_status status, tvmscript_errors errors) {
    std::string message;
    std::size_t count = 0;
    if (status != TVMSCRIPT_STATUS_OK && tvmscript_errors_count(errors, &count) == TVMSCRIPT_STATUS_OK) {
        for (std::size_t i = 0; i < count; i++) {
            tvmscript_error error;
            if (tvmscript_errors_get(errors, i, &error) == TVMSCRIPT_STATUS_OK) {
                message += (i == 0 ? "" : "\n") + string(error.message);
            }
        }
    }
    tvmscript_errors_free(errors);
    if (status == TVMSCRIPT_STATUS_OK) {
        return;
    }
    throw Error(status, message.empty() ? tvmscript_status_text(static_cast<int32_t>(status)) : message);
}

/// The registry with all dialects of the library.
inline tvmscript_registry registry() {
    struct Default {
        tvmscript_registry handle{};
        Default() { check(tvmscript_registry_default(&handle)); }
        ~Default() { tvmscript_registry_free(handle); }
    };
    static const Default shared;
    return shared.handle;
}

} // namespace detail

/// The dialects of the library with those that texts in TOML describe.
class Dialects {
public:
    explicit Dialects(const std::vector<std::string> &descriptions) {
        std::vector<tvmscript_str> texts;
        for (const std::string &text : descriptions) {
            texts.push_back(detail::str(text));
        }
        tvmscript_errors errors{};
        tvmscript_status status =
            tvmscript_registry_new(texts.data(), texts.size(), nullptr, 0, &registry_, &errors);
        detail::check(status, errors);
    }
    Dialects(const Dialects &) = delete;
    Dialects &operator=(const Dialects &) = delete;
    ~Dialects() { tvmscript_registry_free(registry_); }

    /// The handle, which stays this object's.
    tvmscript_registry registry() const { return registry_; }

private:
    tvmscript_registry registry_{};
};

/// A node, which never changes. Copies are of the same node.
class Object {
public:
    Object() = default;
    /// Takes a handle over.
    explicit Object(tvmscript_object handle)
        : handle_(new tvmscript_object(handle), [](tvmscript_object *own) {
              tvmscript_object_free(*own);
              delete own;
          }) {}

    /// Parses a text; throws its errors.
    static Object parse(std::string_view text, std::string_view name = "<text>") {
        tvmscript_program program{};
        tvmscript_errors errors{};
        tvmscript_object object{};
        tvmscript_status status =
            tvmscript_parse(detail::registry(), detail::str(name), detail::str(text), nullptr, &program, &errors);
        if (status == TVMSCRIPT_STATUS_OK) {
            status = tvmscript_program_object(program, &object);
        }
        tvmscript_program_free(program);
        detail::check(status, errors);
        return Object(object);
    }

    /// The handle, which stays this object's.
    tvmscript_object handle() const { return handle_ ? *handle_ : tvmscript_object{}; }

    /// The text.
    std::string print(const tvmscript_print_options *options = nullptr) const {
        tvmscript_text text{};
        tvmscript_errors errors{};
        detail::check(tvmscript_print(tvmscript_registry{}, handle(), options, &text, &errors), errors);
        return detail::take(text);
    }

    /// JSON in the native form, or in that of TVM.
    std::string json(tvmscript_json_format format = TVMSCRIPT_JSON_FORMAT_NATIVE) const {
        tvmscript_text text{};
        tvmscript_errors errors{};
        detail::check(tvmscript_to_json(handle(), static_cast<int32_t>(format), tvmscript_str{}, 1, &text, &errors), errors);
        return detail::take(text);
    }

    /// The program that builds the node: for "python-builder", "rust-builder" or "cpp-builder".
    std::string emit(std::string_view target, bool with_main = false) const {
        tvmscript_text text{};
        tvmscript_errors errors{};
        detail::check(tvmscript_emit(tvmscript_registry{}, handle(), detail::str(target), with_main, &text, &errors), errors);
        return detail::take(text);
    }

    /// The type key.
    std::string type() const {
        tvmscript_str key{};
        detail::check(tvmscript_object_type(handle(), &key));
        return detail::string(key);
    }

    /// Structural equality.
    bool equals(const Object &other) const {
        bool is_equal = false;
        detail::check(tvmscript_equal(handle(), other.handle(), 0, &is_equal, nullptr));
        return is_equal;
    }

private:
    std::shared_ptr<tvmscript_object> handle_;
};

/// Calls of builders by name, with Python's values and operators. A failed operation gives a value with which further ones do nothing;
/// `Program::finish` throws all errors.
namespace builder {

struct Arg;
using Args = std::initializer_list<Arg>;

/// A value of the program.
class [[maybe_unused]] Value {
public:
    Value() = default;
    Value(bool value) : Value(constant([&](tvmscript_value &made) {
        made.kind = TVMSCRIPT_VALUE_KIND_BOOL;
        made.int_value = value ? 1 : 0;
    })) {}
    Value(int value) : Value(static_cast<long long>(value)) {}
    Value(long value) : Value(static_cast<long long>(value)) {}
    Value(long long value) : Value(constant([&](tvmscript_value &made) {
        made.kind = TVMSCRIPT_VALUE_KIND_INT;
        made.int_value = value;
    })) {}
    Value(double value) : Value(constant([&](tvmscript_value &made) {
        made.kind = TVMSCRIPT_VALUE_KIND_FLOAT;
        made.float_value = value;
    })) {}
    Value(const char *text) : Value(std::string_view(text)) {}
    Value(std::string_view text) : Value(constant([&](tvmscript_value &made) {
        made.kind = TVMSCRIPT_VALUE_KIND_TEXT;
        made.text = detail::str(text);
    })) {}
    Value(const Object &node) : Value(constant([&](tvmscript_value &made) {
        made.kind = TVMSCRIPT_VALUE_KIND_OBJECT;
        made.object = node.handle();
    })) {}

    static Value of_number(uint32_t number) {
        Value value;
        value.number_ = number;
        return value;
    }
    uint32_t number() const { return number_; }

    Value attr(std::string_view name) const {
        return made([&](uint32_t *out) { return tvmscript_builder_attribute(number_, detail::str(name), out); });
    }
    Value at(std::initializer_list<Value> items) const {
        std::vector<uint32_t> numbers = numbers_of(items);
        return made([&](uint32_t *out) { return tvmscript_builder_index(number_, numbers.data(), numbers.size(), out); });
    }
    inline Value call(Args args) const;
    inline Value method(std::string_view name, Args args) const;

    Value floordiv(Value other) const { return operate(TVMSCRIPT_BUILDER_OPERATOR_FLOOR_DIV, {*this, other}); }
    Value pow(Value other) const { return operate(TVMSCRIPT_BUILDER_OPERATOR_POW, {*this, other}); }
    Value lt(Value other) const { return operate(TVMSCRIPT_BUILDER_OPERATOR_LT, {*this, other}); }
    Value le(Value other) const { return operate(TVMSCRIPT_BUILDER_OPERATOR_LE, {*this, other}); }
    Value gt(Value other) const { return operate(TVMSCRIPT_BUILDER_OPERATOR_GT, {*this, other}); }
    Value ge(Value other) const { return operate(TVMSCRIPT_BUILDER_OPERATOR_GE, {*this, other}); }
    Value equal(Value other) const { return operate(TVMSCRIPT_BUILDER_OPERATOR_EQUAL, {*this, other}); }
    Value not_equal(Value other) const { return operate(TVMSCRIPT_BUILDER_OPERATOR_NOT_EQUAL, {*this, other}); }
    Value logical_and(Value other) const { return operate(TVMSCRIPT_BUILDER_OPERATOR_AND, {*this, other}); }
    Value logical_or(Value other) const { return operate(TVMSCRIPT_BUILDER_OPERATOR_OR, {*this, other}); }
    Value logical_not() const { return operate(TVMSCRIPT_BUILDER_OPERATOR_NOT, {*this}); }
    Value select(Value then_value, Value else_value) const {
        return operate(TVMSCRIPT_BUILDER_OPERATOR_SELECT, {*this, then_value, else_value});
    }

    /// Runs a function that writes the number of a value.
    template <typename Make> static Value made(Make make) {
        Value value;
        detail::check(make(&value.number_));
        return value;
    }
    static std::vector<uint32_t> numbers_of(std::initializer_list<Value> values) {
        std::vector<uint32_t> numbers;
        for (const Value &value : values) {
            numbers.push_back(value.number_);
        }
        return numbers;
    }
    static Value operate(tvmscript_builder_operator op, std::initializer_list<Value> operands) {
        std::vector<uint32_t> numbers = numbers_of(operands);
        return made([&](uint32_t *out) {
            return tvmscript_builder_operate(static_cast<int32_t>(op), numbers.data(), numbers.size(), out);
        });
    }

private:
    uint32_t number_ = TVMSCRIPT_BUILDER_FAILED;

    template <typename Fill> static Value constant(Fill fill) {
        tvmscript_value raw{};
        fill(raw);
        return made([&](uint32_t *out) { return tvmscript_builder_constant(&raw, out); });
    }
};

/// An argument: a value, or one with a keyword (`kw`).
struct Arg {
    template <typename T> Arg(const T &value) : value(value) {}
    Arg(std::string_view keyword, Value value) : keyword(keyword), value(value) {}
    std::string_view keyword;
    Value value;
};

namespace detail {
inline std::vector<tvmscript_builder_arg> raw(Args args) {
    std::vector<tvmscript_builder_arg> raw;
    for (const Arg &arg : args) {
        raw.push_back({tvmscript::detail::str(arg.keyword), arg.value.number()});
    }
    return raw;
}
} // namespace detail

inline Value Value::call(Args args) const {
    auto raw = detail::raw(args);
    return made([&](uint32_t *out) { return tvmscript_builder_call_value(number_, raw.data(), raw.size(), out); });
}
inline Value Value::method(std::string_view name, Args args) const { return attr(name).call(args); }

#define TVMSCRIPT_BINARY(symbol, name)                                                                                             \
    inline Value operator symbol(Value a, Value b) { return Value::operate(TVMSCRIPT_BUILDER_OPERATOR_##name, {a, b}); }
TVMSCRIPT_BINARY(+, ADD)
TVMSCRIPT_BINARY(-, SUB)
TVMSCRIPT_BINARY(*, MUL)
TVMSCRIPT_BINARY(/, DIV)
TVMSCRIPT_BINARY(%, MOD)
TVMSCRIPT_BINARY(<<, SHL)
TVMSCRIPT_BINARY(>>, SHR)
TVMSCRIPT_BINARY(&, BIT_AND)
TVMSCRIPT_BINARY(|, BIT_OR)
TVMSCRIPT_BINARY(^, BIT_XOR)
#undef TVMSCRIPT_BINARY
inline Value operator-(Value a) { return Value::operate(TVMSCRIPT_BUILDER_OPERATOR_NEG, {a}); }
inline Value operator~(Value a) { return Value::operate(TVMSCRIPT_BUILDER_OPERATOR_INVERT, {a}); }

/// A value of a constant, for operators: `val(2) * n`.
template <typename T> Value val(const T &value) { return Value(value); }

/// A keyword argument.
inline Arg kw(std::string_view keyword, Value value) { return Arg(keyword, value); }

/// Calls the function at a path of names.
inline Value call(std::string_view path, Args args) {
    auto raw = detail::raw(args);
    return Value::made([&](uint32_t *out) {
        return tvmscript_builder_call(tvmscript::detail::str(path), raw.data(), raw.size(), out);
    });
}

/// The value at a path of names.
inline Value name(std::string_view path) {
    return Value::made([&](uint32_t *out) { return tvmscript_builder_name(tvmscript::detail::str(path), out); });
}

/// `None`
inline Value none() {
    tvmscript_value absent{};
    return Value::made([&](uint32_t *out) { return tvmscript_builder_constant(&absent, out); });
}

namespace detail {
inline Value collect(tvmscript_builder_collection kind, std::initializer_list<Value> items) {
    std::vector<uint32_t> numbers = Value::numbers_of(items);
    return Value::made([&](uint32_t *out) {
        return tvmscript_builder_collect(static_cast<int32_t>(kind), numbers.data(), numbers.size(), out);
    });
}
} // namespace detail

/// `(items)`
inline Value tuple(std::initializer_list<Value> items) {
    return detail::collect(TVMSCRIPT_BUILDER_COLLECTION_TUPLE, items);
}
/// `[items]`
inline Value list(std::initializer_list<Value> items) { return detail::collect(TVMSCRIPT_BUILDER_COLLECTION_LIST, items); }
/// `{key: value}`: keys and values alternate.
inline Value dict(std::initializer_list<Value> items) { return detail::collect(TVMSCRIPT_BUILDER_COLLECTION_DICT, items); }

namespace detail {
template <typename Body, std::size_t... Index>
Value apply(const Body &body, const uint32_t *args, std::index_sequence<Index...>) {
    return body(Value::of_number(args[Index])...);
}

/// The number of parameters of a function object.
template <typename Body> struct Parameters : Parameters<decltype(&Body::operator())> {};
template <typename Body, typename Result, typename... Args> struct Parameters<Result (Body::*)(Args...) const> {
    static constexpr std::size_t count = sizeof...(Args);
};
} // namespace detail

/// `lambda names: body(names)`
template <typename Body> Value lambda(std::initializer_list<std::string_view> names, Body body) {
    std::vector<tvmscript_str> raw;
    for (std::string_view name : names) {
        raw.push_back(tvmscript::detail::str(name));
    }
    auto call = [](void *user, const uint32_t *args, std::size_t count) noexcept -> uint32_t {
        constexpr std::size_t expected = detail::Parameters<Body>::count;
        try {
            if (count == expected) {
                return detail::apply(*static_cast<Body *>(user), args, std::make_index_sequence<expected>()).number();
            }
        } catch (...) {
            // The value below is an error of the program.
        }
        return TVMSCRIPT_BUILDER_FAILED;
    };
    auto release = [](void *user) noexcept { delete static_cast<Body *>(user); };
    auto *own = new Body(std::move(body));
    return Value::made([&](uint32_t *out) {
        return tvmscript_builder_lambda(raw.data(), raw.size(), call, own, release, out);
    });
}

/// An open scope, which is left at the end of the variable.
class Scope {
public:
    explicit Scope(Value scope)
        : value_(Value::made([&](uint32_t *out) { return tvmscript_builder_enter(scope.number(), out); })) {}
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;
    ~Scope() { tvmscript_builder_leave(); }
    /// What the scope gives, such as a loop variable.
    Value value() const { return value_; }

private:
    Value value_;
};

/// Enters a scope.
inline Scope with(Value scope) { return Scope(scope); }

/// A program of this thread: its values and errors.
class Program {
public:
    Program() : Program(tvmscript::detail::registry()) {}
    explicit Program(tvmscript_registry registry) {
        tvmscript::detail::check(tvmscript_builder_begin(registry));
    }
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;
    ~Program() {
        if (is_open_) {
            tvmscript_builder_cancel();
        }
    }

    /// `from module import member as name`; `import module as name` without a member.
    void import(std::string_view module, std::string_view member, std::string_view name) {
        using tvmscript::detail::str;
        tvmscript::detail::check(tvmscript_builder_import(str(module), str(member), str(name)));
    }

    /// The node that was built; throws all errors.
    Object finish(Value result) {
        tvmscript_object object{};
        tvmscript_errors errors{};
        is_open_ = false;
        tvmscript_status status = tvmscript_builder_finish(result.number(), &object, &errors);
        tvmscript::detail::check(status, errors);
        return Object(object);
    }

private:
    bool is_open_ = true;
};

} // namespace builder
} // namespace tvmscript

#endif // TVMSCRIPT_HPP
