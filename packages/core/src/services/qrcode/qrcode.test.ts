import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, inflateSync } from 'node:zlib';
import { encode } from 'uqr';
import { drawQrCode, generateQrCode } from './operations.ts';

/** Reads a 1-bit greyscale PNG by the book, knowing nothing of how ours are written. */
function readPng(png: Uint8Array): { size: number; isBlack(x: number, y: number): boolean } {
  const bytes = Buffer.from(png);
  assert.equal(bytes.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n');
  const chunks = new Map<string, Buffer>();
  let at = 8;
  while (at < bytes.length) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const end = at + 8 + length;
    assert.equal(bytes.readUInt32BE(end), crc32(bytes.subarray(at + 4, end)), `the checksum of ${type}`);
    chunks.set(type, bytes.subarray(at + 8, end));
    at = end + 4;
  }
  assert.deepEqual([...chunks.keys()], ['IHDR', 'IDAT', 'IEND']);
  const header = chunks.get('IHDR') ?? Buffer.alloc(0);
  const size = header.readUInt32BE(0);
  assert.deepEqual([...header.subarray(4)], [...header.subarray(0, 4), 1, 0, 0, 0, 0]);
  const pixels = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0));
  const stride = 1 + Math.ceil(size / 8);
  assert.equal(pixels.length, stride * size);
  for (let y = 0; y < size; y++) assert.equal(pixels[y * stride], 0, 'every line is unfiltered');
  return { size, isBlack: (x, y) => (((pixels[y * stride + 1 + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1) === 0 };
}

/** Samples the four corners of every module, so that a shifted or blurred picture does not pass. */
function readModules(png: Uint8Array, scale: number): boolean[][] {
  const { size, isBlack } = readPng(png);
  return Array.from({ length: size / scale }, (_, row) =>
    Array.from({ length: size / scale }, (_, column) => {
      const [x, y, far] = [column * scale, row * scale, scale - 1];
      const corners = [isBlack(x, y), isBlack(x + far, y), isBlack(x, y + far), isBlack(x + far, y + far)];
      assert.equal(new Set(corners).size, 1, 'a module has one colour');
      return corners[0] === true;
    }),
  );
}

const samples = {
  'a short word': 'hi',
  'an address': 'https://latchkey.example/slugs/V1StGXR8Z5jdHi6BmyTaa?a=1&b=%20',
  'text beyond ASCII': 'Schlüssel 鍵 🔑',
  'the longest data': 'x'.repeat(1200),
};

for (const [name, data] of Object.entries(samples)) {
  test(`the picture of ${name} has the modules of its QR code and nothing in a margin of four`, () => {
    const modules = readModules(generateQrCode(undefined, { data }), 8);
    const maskPattern = Buffer.byteLength(data) > 200 ? 3 : -1;
    const bare = encode(data, { ecc: 'M', border: 0, maskPattern }).data;
    assert.equal(modules.length, bare.length + 8);
    const inner = modules.slice(4, -4).map((row) => row.slice(4, -4));
    assert.deepEqual(inner, bare);
    const dark = (rows: boolean[][]) => rows.flat().filter(Boolean).length;
    assert.equal(dark(modules), dark(inner));
  });
}

test('more than 1200 bytes are refused with the size, also when they are fewer characters', () => {
  for (const data of ['x'.repeat(1201), 'ü'.repeat(601), '']) {
    assert.throws(() => generateQrCode(undefined, { data }), {
      code: 'INVALID_PARAMETER_VALUE',
      message: new RegExp(`1 to 1200 bytes; shorten the data, which has ${Buffer.byteLength(data)}\\.`),
    });
  }
});

test('the same data gives the same picture', () => {
  assert.deepEqual(drawQrCode('again'), drawQrCode('again'));
});
