// What the page carries: report/page/bundle.hpp says how it is packed.

class Bundle {
  constructor(bytes) {
    const size = new DataView(bytes.buffer).getUint32(0, true);
    this.header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
    this.bytes = bytes.subarray(4 + size);
    this.columns = new Map();
  }

  string(id) {
    return this.header.strings[id];
  }

  // The numbers of a column; of one that is not there none.
  column(id) {
    if (id === undefined || id === null) return new Float64Array(0);
    let column = this.columns.get(id);
    if (column === undefined) this.columns.set(id, column = this.unpacked(this.header.columns[id]));
    return column;
  }

  unpacked([begin, count]) {
    const out = new Float64Array(count);
    const bytes = this.bytes;
    for (let i = 0, at = begin; i < count; ++i) {
      let value = 0, scale = 1, byte;
      do {
        byte = bytes[at++];
        value += (byte & 127) * scale;
        scale *= 128;
      } while (byte >= 128);
      out[i] = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
    return out;
  }

  static async load() {
    const element = document.getElementById('data');
    const text = atob(element.textContent);
    element.remove();
    const packed = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) packed[i] = text.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Bundle(new Uint8Array(await new Response(stream).arrayBuffer()));
  }
}
