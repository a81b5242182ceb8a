"""The wire format of protocol buffers (https://protobuf.dev/programming-guides/encoding/)."""


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a message: {number: [values]}, in their order."""
    out, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 1:
            value, at = int.from_bytes(data[at : at + 8], "little"), at + 8
        elif tag & 7 == 2:
            size, at = varint(data, at)
            value = data[at : at + size]
            assert len(value) == size
            at += size
        else:
            raise AssertionError("wire type %d" % (tag & 7))
        out.setdefault(tag >> 3, []).append(value)
    return out
