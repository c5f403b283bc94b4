//! The names of attributes that texts, numbers, paths and collections have, all in one, since a text may stand for a path and a
//! list for a set. What is none of them surely raises when it is asked for.

/// In the order of their letters.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "absolute", "aclose", "add", "anchor", "append", "appendleft", "as_integer_ratio", "as_posix", "as_uri",
    "bit_count", "bit_length", "callback", "capitalize", "casefold", "center", "chmod", "clear", "close",
    "conjugate", "copy", "copy_into", "count", "cwd", "decode", "default_factory", "denominator", "difference",
    "difference_update", "discard", "drive", "elements", "empty", "encode", "endswith", "enter_async_context",
    "enter_context", "exists", "expandtabs", "expanduser", "extend", "extendleft", "find", "format",
    "format_map", "from_bytes", "from_uri", "fromhex", "fromkeys", "full", "full_match", "get", "get_nowait",
    "glob", "group", "hardlink_to", "hex", "home", "imag", "index", "info", "insert", "intersection",
    "intersection_update", "is_absolute", "is_block_device", "is_char_device", "is_dir", "is_fifo", "is_file",
    "is_integer", "is_mount", "is_relative_to", "is_reserved", "is_socket", "is_symlink", "isalnum", "isalpha",
    "isascii", "isdecimal", "isdigit", "isdisjoint", "isidentifier", "islower", "isnumeric", "ispkg",
    "isprintable", "isspace", "issubset", "issuperset", "istitle", "isupper", "items", "iterdir", "join",
    "joinpath", "keys", "lchmod", "link_to", "ljust", "lower", "lstat", "lstrip", "maketrans", "match", "maxlen",
    "mkdir", "module_finder", "most_common", "move", "move_into", "move_to_end", "name", "numerator", "open",
    "owner", "parent", "parents", "parser", "partition", "parts", "pop", "pop_all", "popitem", "popleft", "push",
    "push_async_callback", "push_async_exit", "put", "put_nowait", "qsize", "read_bytes", "read_text",
    "readlink", "real", "relative_to", "remove", "removeprefix", "removesuffix", "rename", "replace", "resolve",
    "reverse", "rfind", "rglob", "rindex", "rjust", "rmdir", "root", "rotate", "rpartition", "rsplit", "rstrip",
    "samefile", "setdefault", "sort", "split", "splitlines", "startswith", "stat", "stem", "strip", "subtract",
    "suffix", "suffixes", "swapcase", "symlink_to", "symmetric_difference", "symmetric_difference_update",
    "task_done", "title", "to_bytes", "total", "touch", "translate", "union", "unlink", "update", "upper",
    "values", "walk", "with_name", "with_stem", "with_suffix", "write_bytes", "write_text", "zfill",
];

/// The names that every module of Python has, in the order of their letters.
#[rustfmt::skip]
const BUILTINS: &[&str] = &[
    "ArithmeticError", "AssertionError", "AttributeError", "BaseException", "BaseExceptionGroup",
    "BlockingIOError", "BrokenPipeError", "BufferError", "BytesWarning", "ChildProcessError",
    "ConnectionAbortedError", "ConnectionError", "ConnectionRefusedError", "ConnectionResetError",
    "DeprecationWarning", "EOFError", "Ellipsis", "EncodingWarning", "EnvironmentError", "Exception",
    "ExceptionGroup", "False", "FileExistsError", "FileNotFoundError", "FloatingPointError", "FutureWarning",
    "GeneratorExit", "IOError", "ImportError", "ImportWarning", "IndentationError", "IndexError",
    "InterruptedError", "IsADirectoryError", "KeyError", "KeyboardInterrupt", "LookupError", "MemoryError",
    "ModuleNotFoundError", "NameError", "None", "NotADirectoryError", "NotImplemented", "NotImplementedError",
    "OSError", "OverflowError", "PendingDeprecationWarning", "PermissionError", "ProcessLookupError",
    "PythonFinalizationError", "RecursionError", "ReferenceError", "ResourceWarning", "RuntimeError",
    "RuntimeWarning", "StopAsyncIteration", "StopIteration", "SyntaxError", "SyntaxWarning", "SystemError",
    "SystemExit", "TabError", "TimeoutError", "True", "TypeError", "UnboundLocalError", "UnicodeDecodeError",
    "UnicodeEncodeError", "UnicodeError", "UnicodeTranslateError", "UnicodeWarning", "UserWarning", "ValueError",
    "Warning", "WindowsError", "ZeroDivisionError", "__build_class__", "__builtins__", "__debug__", "__doc__",
    "__file__", "__import__", "__loader__", "__name__", "__package__", "__path__", "__spec__", "abs", "aiter",
    "all", "anext", "any", "ascii", "bin", "bool", "breakpoint", "bytearray", "bytes", "callable", "chr",
    "classmethod", "compile", "complex", "copyright", "credits", "delattr", "dict", "dir", "divmod", "enumerate",
    "eval", "exec", "exit", "filter", "float", "format", "frozenset", "getattr", "globals", "hasattr", "hash",
    "help", "hex", "id", "input", "int", "isinstance", "issubclass", "iter", "len", "license", "list", "locals",
    "map", "max", "memoryview", "min", "next", "object", "oct", "open", "ord", "pow", "print", "property",
    "quit", "range", "repr", "reversed", "round", "set", "setattr", "slice", "sorted", "staticmethod", "str",
    "sum", "super", "tuple", "type", "vars", "zip",
];

/// Whether a name means something in every module of Python.
pub(super) fn is_builtin(name: &str) -> bool {
    BUILTINS.binary_search(&name).is_ok()
}

/// Whether something of a builtin type may have such an attribute.
pub(super) fn may_have(name: &str) -> bool {
    // The member of an enumeration is what it holds.
    name.starts_with("__") || name == "value" || NAMES.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{BUILTINS, NAMES, is_builtin, may_have};

    #[test]
    fn names_are_in_order() {
        assert!(NAMES.is_sorted() && BUILTINS.is_sorted());
        assert!(is_builtin("len") && !is_builtin("profile"));
        assert!(may_have("append") && may_have("__len__") && !may_have("cuda"));
    }
}
