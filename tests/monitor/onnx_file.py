# SPDX-License-Identifier: LGPL-2.1-or-later
"""Small ONNX models, written byte by byte (onnx.proto of ONNX 1.7, operators of version 12): no other package is needed."""
import struct


def _number(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def _field(number, value):
    """A field of a message: an integer, or bytes or text."""
    if isinstance(value, int):
        return _number(number << 3) + _number(value)
    data = value.encode() if isinstance(value, str) else value
    return _number(number << 3 | 2) + _number(len(data)) + data


def _node(kind, inputs, outputs, **attributes):
    out = b"".join(_field(1, x) for x in inputs) + b"".join(_field(2, x) for x in outputs) + _field(4, kind)
    for name, value in attributes.items():
        numbers = isinstance(value, (list, tuple))
        out += _field(5, _field(1, name) + (b"".join(_field(8, n) for n in value) + _field(20, 7) if numbers else _field(3, value) + _field(20, 2)))
    return out


def _tensor(name, shape, values):
    return b"".join(_field(1, n) for n in shape) + _field(2, 1) + _field(8, name) + _field(9, struct.pack(f"<{len(values)}f", *values))


def _value(name, shape):
    dimensions = b"".join(_field(1, _field(1, n)) for n in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, 1) + _field(2, dimensions)))


def _model(nodes, tensors, size, outputs):
    graph = b"".join(_field(1, n) for n in nodes) + _field(2, "graph") + b"".join(_field(5, t) for t in tensors)
    graph += _field(11, _value("picture", (1, 3, size, size))) + b"".join(_field(12, _value(name, shape)) for name, shape in outputs)
    return _field(1, 7) + _field(2, "vigil") + _field(7, graph) + _field(8, _field(1, "") + _field(2, 12))


def mean_colour(size, outputs=1, scale=20.0):
    """A model whose three values are the picture's mean red, green and blue, `scale` times as large; `outputs` times the same."""
    scale = [scale if row == column else 0.0 for row in range(3) for column in range(3)]
    nodes = [_node("Conv", ["picture", "scale"], ["larger"], kernel_shape=[1, 1]), _node("GlobalAveragePool", ["larger"], ["mean"]),
             *(_node("Flatten", ["mean"], [f"colour{i}"], axis=1) for i in range(outputs))]
    return _model(nodes, [_tensor("scale", (3, 3, 1, 1), scale)], size, [(f"colour{i}", (1, 3)) for i in range(outputs)])


def of_one_size(size):
    """A model that multiplies each value of a picture of this very size."""
    count = 3 * size * size
    nodes = [_node("Flatten", ["picture"], ["line"], axis=1), _node("Gemm", ["line", "weights"], ["values"])]
    return _model(nodes, [_tensor("weights", (count, 3), [1 / count] * (3 * count))], size, [("values", (1, 3))])


def boxes(size, values):
    """A model that says these values of one box, whatever the picture is (the layout of YOLOv8: 1 x values x 1)."""
    n = len(values)
    nodes = [_node("Conv", ["picture", "nothing", "values"], ["everywhere"], kernel_shape=[1, 1]), _node("GlobalAveragePool", ["everywhere"], ["mean"]),
             _node("Squeeze", ["mean"], ["box"], axes=[3])]
    return _model(nodes, [_tensor("nothing", (n, 3, 1, 1), [0.0] * (3 * n)), _tensor("values", (n,), values)], size, [("box", (1, n, 1))])


def root_of_green(size):
    """A model whose three values are the square root of the picture's mean green less 0.45: no number for pictures that are darker."""
    nodes = [_node("Conv", ["picture", "green", "less"], ["more"], kernel_shape=[1, 1]), _node("GlobalAveragePool", ["more"], ["mean"]), _node("Sqrt", ["mean"], ["root"]),
             _node("Flatten", ["root"], ["values"], axis=1)]
    return _model(nodes, [_tensor("green", (3, 3, 1, 1), [0.0, 1.0, 0.0] * 3), _tensor("less", (3,), [-0.45] * 3)], size, [("values", (1, 3))])


def coloured_squares(size, side, step):
    """A detector of red and of green squares of `side` pixels, in the layout of YOLOv8: 1 x (4 + 2) x candidates. Its candidates are windows `step` pixels
    apart; the score of a colour is its mean in the window, less that of the other."""
    places = range(0, size - side + 1, step)
    windows = [(x + side / 2, y + side / 2, side, side) for y in places for x in places]
    numbers = [float(window[i]) for i in range(4) for window in windows]
    share, count = 1 / (side * side), side * side
    weights = [w * share for sign in (1, -1) for w in [sign] * count + [-sign] * count + [0] * count]
    nodes = [_node("Conv", ["picture", "colours"], ["map"], kernel_shape=[side, side], strides=[step, step]), _node("Flatten", ["map"], ["flat"], axis=2),
             _node("Unsqueeze", ["flat"], ["scores"], axes=[0]), _node("Concat", ["windows", "scores"], ["found"], axis=1)]
    return _model(nodes, [_tensor("colours", (2, 3, side, side), weights), _tensor("windows", (1, 4, len(windows)), numbers)], size, [("found", (1, 6, len(windows)))])
