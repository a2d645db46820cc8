# SPDX-License-Identifier: LGPL-2.1-or-later
"""Names of the standard library, and of common/error.h, whose header a file includes neither itself nor through a header of ours.

Standard headers include each other differently in each version: what compiles with GCC 12 because <vector> brings
<algorithm> along does not compile with GCC 14. A unity build hides that common/error.h is missing.
Usage: includes.py SOURCE_ROOT"""
import functools
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
folders = ["common", "kernels", "gst", "tools", "tests", "examples"]
sources = {p.relative_to(root).as_posix(): p.read_text(encoding="utf-8")
           for f in folders for p in sorted((root / f).rglob("*")) if p.suffix in {".h", ".cpp", ".cu", ".cuh"}}

# Header: names in std. A name followed by "(" counts as a call only.
names = {
    "algorithm": "sort( stable_sort( nth_element( partial_sort( min( max( clamp( minmax( min_element( max_element( "
                 "minmax_element( find( find_if( find_if_not( search( copy( copy_n( copy_if( fill( fill_n( transform( "
                 "any_of( all_of( none_of( count( count_if( equal( mismatch( reverse( rotate( unique( remove_if( "
                 "replace( swap_ranges( shuffle( lower_bound( upper_bound( binary_search( equal_range( generate( "
                 "generate_n( for_each( partition( lexicographical_compare( is_sorted( adjacent_find(",
    "array": "array to_array", "atomic": "atomic", "bit": "bit_cast popcount countr_zero countl_zero has_single_bit "
    "bit_ceil bit_width", "charconv": "from_chars to_chars", "chrono": "chrono", "condition_variable":
    "condition_variable", "cmath": "sqrt( exp( log( log2( pow( floor( ceil( round( lround( abs( fabs( isfinite( isnan( "
    "sin( cos( tan( atan2( hypot( fma( nearbyint( lrint( trunc( cbrt( fmod( ldexp(", "complex": "complex", "cstdint":
    "int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t uintptr_t", "cstdio":
    "printf fprintf snprintf fopen fclose fputs FILE", "cstdlib": "getenv strtol strtod abort exit malloc aligned_alloc",
    "cstring": "memcpy memset memcmp strlen strcmp strncmp strerror memmove strstr strchr", "deque": "deque",
    "exception": "exception exception_ptr current_exception rethrow_exception terminate uncaught_exceptions",
    "filesystem": "filesystem", "fstream": "ifstream ofstream fstream", "functional": "function less greater plus ref",
    "iostream": "cout cerr cin", "limits": "numeric_limits", "list": "list", "map": "map multimap", "memory":
    "unique_ptr shared_ptr weak_ptr make_unique make_shared", "mutex": "mutex lock_guard unique_lock scoped_lock "
    "call_once once_flag", "numbers": "numbers", "numeric": "accumulate iota reduce inner_product gcd lcm", "optional":
    "optional nullopt", "random": "mt19937 mt19937_64 uniform_int_distribution uniform_real_distribution "
    "normal_distribution", "regex": "regex", "set": "set multiset", "span": "span as_bytes", "sstream":
    "ostringstream istringstream stringstream", "stdexcept": "runtime_error logic_error invalid_argument out_of_range",
    "string": "string to_string stoi stod getline", "string_view": "string_view", "system_error": "error_code errc",
    "thread": "thread jthread this_thread", "tuple": "tuple tie make_tuple", "unordered_map": "unordered_map",
    "variant": "variant visit holds_alternative get_if", "vector": "vector",
}
# Promised by the standard, or by every implementation since they return or take the type.
brings = {"string_view": {"string", "filesystem"}, "string": {"filesystem", "stdexcept"}, "exception": {"stdexcept"},
          "system_error": {"filesystem", "fstream"}, "cstdint": {"stdint.h"}, "cstdio": {"stdio.h"},
          "cstdlib": {"stdlib.h"}, "cstring": {"string.h"}, "cmath": {"math.h"}}


def pattern(listed):
    calls = [n[:-1] for n in listed.split() if n.endswith("(")]
    others = [n for n in listed.split() if not n.endswith("(")]
    parts = ([rf"(?:{'|'.join(calls)})\s*\("] if calls else []) + ([rf"(?:{'|'.join(others)})\b"] if others else [])
    return re.compile(rf"\bstd::(?:ranges::)?(?:{'|'.join(parts)})")


patterns = {header: pattern(listed) for header, listed in names.items()}
# text() of common/error.h, called, in files that have no function of this name.
patterns["common/error.h"] = re.compile(r"(?:^|[(,=?!&|{;]|\breturn|<<)\s*(?:vigil::)?text\(", re.M)
own = {p for p, s in sources.items() if not p.endswith(".cpp") or re.search(r"std::string(?:_view)? text\(", s)}


@functools.cache
def reached(path):
    """The headers that a file includes, and the headers of ours among them."""
    result, seen, waiting = set(), set(), [path]
    while waiting:
        name = waiting.pop()
        if name in seen or name not in sources:
            continue
        seen.add(name)
        result |= set(re.findall(r"^\s*#\s*include\s*<([^>]+)>", sources[name], re.M))
        for other in re.findall(r'^\s*#\s*include\s*"([^"]+)"', sources[name], re.M):
            result.add(other)
            waiting += [other, (pathlib.PurePosixPath(name).parent / other).as_posix()]
    return result


problems = []
for path, text in sources.items():
    code = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', re.sub(r"//[^\n]*", "", text))
    for header, used in patterns.items():
        found = used.search(code)
        if header == "common/error.h" and path in own:
            continue
        if found and not reached(path) & ({header} | brings.get(header, set())):
            problems.append(f"{path}: uses {found.group(0).rstrip('(')} without <{header}>")
print(*problems, sep="\n")
print(f"{len(sources)} files, {len(problems)} problems")
sys.exit(1 if problems or not sources else 0)
