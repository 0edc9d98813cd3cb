import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PNG } from 'pngjs';
import { encode } from 'uqr';
import { drawQrCode, generateQrCode } from './operations.ts';

function readPng(bytes: Uint8Array): { size: number; isBlack(x: number, y: number): boolean } {
  const { width, height, data } = PNG.sync.read(Buffer.from(bytes), { checkCRC: true });
  assert.equal(width, height);
  for (const [place, value] of data.entries())
    assert.ok(value === 0xff || (value === 0x00 && place % 4 !== 3), 'every pixel is black or white, and opaque');
  return { size: width, isBlack: (x, y) => data[(y * width + x) * 4] === 0 };
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
  test(`the image of ${name} has the modules of its QR code and nothing in a margin of four`, () => {
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
      message: new RegExp(`1 to 1200 bytes; the data has ${Buffer.byteLength(data)}\\.`),
    });
  }
});

test('the same data gives the same image', () => {
  assert.deepEqual(drawQrCode('again'), drawQrCode('again'));
});
