import { crc32, deflateSync } from 'node:zlib';

export interface Picture {
  width: number;
  height: number;
  /** Four bytes a pixel: red, green, blue, and an alpha that is not looked at. */
  pixels: Uint8Array;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const mostColours = 256;
const indexed = 3;

/** A picture of few colours as a PNG with a palette, a third as large as one without. Undefined where they are too many. */
export function encodePng({ width, height, pixels }: Picture): Buffer | undefined {
  const words = new Uint32Array(pixels.buffer, pixels.byteOffset, width * height);
  const palette = new Map<number, number>();
  const rows = Buffer.alloc((width + 1) * height);
  let last: number | undefined;
  let index = 0;
  for (let y = 0, place = 0; y < height; y += 1) {
    // Each row starts with the number of its filter, which is none.
    const start = y * (width + 1) + 1;
    for (let x = 0; x < width; x += 1, place += 1) {
      const colour = words[place] ?? 0;
      // Most pixels are like their neighbour.
      if (colour !== last) {
        last = colour;
        index = palette.get(colour) ?? palette.size;
        if (index === mostColours) return undefined;
        palette.set(colour, index);
      }
      rows[start + x] = index;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, indexed, 0, 0, 0], 8);
  const parts = [
    chunk('IHDR', head),
    chunk('PLTE', paletteBytes(palette)),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND'),
  ];
  return Buffer.concat([signature, ...parts]);
}

function paletteBytes(palette: ReadonlyMap<number, number>): Buffer {
  const bytes = new Uint8Array(Uint32Array.from(palette.keys()).buffer);
  return Buffer.from(bytes.filter((_, place) => place % 4 !== 3));
}

function chunk(type: string, data: Uint8Array = new Uint8Array()): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
