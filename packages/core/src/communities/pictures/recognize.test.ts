import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxPictureBytes, recognizePicture } from './recognize.ts';
import { gif, jpeg, png, webp } from './testing.ts';

const kinds = { 'image/png': png, 'image/gif': gif, 'image/jpeg': jpeg, 'image/webp': webp } as const;

for (const [type, make] of Object.entries(kinds)) {
  test(`${type} is recognized by its bytes, and not shown if it would decompress too far`, () => {
    assert.equal(recognizePicture(make(128, 96)), type);
    assert.equal(recognizePicture(make(2_048, 2_048)), type);
    for (const [width, height] of [
      [2_049, 1],
      [1, 16_000],
    ] as const)
      assert.equal(recognizePicture(make(width, height)), undefined);
  });

  test(`${type} truncated anywhere is not an image, and does not throw`, () => {
    const whole = make(100, 100);
    for (let length = 0; length < whole.length; length += 1) {
      const found = recognizePicture(whole.subarray(0, length));
      assert.ok(found === undefined || found === type);
    }
  });
}

test('the sizes of both other WebP forms are read', () => {
  const lossless = Buffer.from('RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\0\0\0\0\0\0\0\0\0', 'latin1');
  lossless.writeUInt32LE((99 << 14) | 63, 21);
  assert.equal(recognizePicture(lossless), 'image/webp');
  lossless.writeUInt32LE((9_999 << 14) | 63, 21);
  assert.equal(recognizePicture(lossless), undefined);
  const extended = Buffer.from('RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x63\0\0\x63\0\0', 'latin1');
  assert.equal(recognizePicture(extended), 'image/webp');
  extended.writeUIntLE(60_000, 24, 3);
  assert.equal(recognizePicture(extended), undefined);
});

test('anything but an image is refused, whatever its type: markup, scripts, other formats, too many bytes', () => {
  const texts = [
    '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
    '<!doctype html><script>alert(1)</script>',
    'GIF89a'.slice(0, 5),
    '\x89PNG\r\n\x1a\n<script>alert(1)</script>',
    '\xff\xd8\xff\xc0',
    '\xff\xd8\xff\xe0\0\0\0\0\0\0\0\0\0\0\0\0',
    'BM\0\0\0\0',
    '',
  ];
  for (const text of texts) assert.equal(recognizePicture(Buffer.from(text, 'latin1')), undefined, text);
  assert.equal(recognizePicture(Buffer.concat([png(1, 1), Buffer.alloc(maxPictureBytes)])), undefined);
});
