import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { capHeight, drawPreview, fitTitle, previewSize, textWidth } from './draw-preview.ts';
import { encodePng } from './encode-png.ts';
import { glyphOf } from './glyphs.ts';
import { renderPreviews } from './render-previews.ts';
import { breakLines, setLine } from './set-text.ts';

describe('the alphabet', () => {
  test('has every character of plain text, each drawn in its own way', () => {
    const characters = Array.from({ length: 0x7e - 0x20 }, (_, index) => String.fromCharCode(0x21 + index));
    assert.equal(new Set(characters.map((character) => glyphOf(character).path)).size, characters.length);
  });

  test('leaves accents out and asks about what it does not know', () => {
    assert.equal(glyphOf('é'), glyphOf('e'));
    assert.equal(glyphOf('’'), glyphOf("'"));
    assert.equal(glyphOf('鍵'), glyphOf('?'));
  });

  test('stays within the width its glyphs say they have', () => {
    for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789') {
      const { width, path } = glyphOf(character);
      const starts = [...path.matchAll(/[ML](-?[\d.]+)/g)].map(([, x]) => Number(x));
      for (const x of starts) assert.ok(x >= -2 && x <= width + 2, `${character} reaches ${x} of ${width}`);
    }
  });
});

test('lines are broken where they must be, and evenly', () => {
  const width = setLine('one two three four').width;
  assert.deepEqual(breakLines('one two three four', width + 1), ['one two three four']);
  assert.deepEqual(breakLines('one two three four', width - 60), ['one two', 'three four']);
  assert.deepEqual(breakLines('unbreakable', 10), ['unbreakable']);
});

test('a title of any length stays within its part of the image', () => {
  for (const title of [
    'A',
    'word '.repeat(60),
    'X'.repeat(40),
    'Case study: gating a learning community with the API',
  ]) {
    const { capPx, lines } = fitTitle(title);
    assert.ok(lines.length <= 5);
    for (const line of lines) assert.ok(setLine(line).width * capPx <= textWidth * capHeight + 1, line);
    const svg = drawPreview({ title, section: 'Section' }, '');
    const places = [...svg.matchAll(/<g transform="translate\([\d.]+ ([\d.]+)\) scale/g)].map(([, y]) => Number(y));
    assert.equal(places.length, lines.length + 4);
    for (const y of places) assert.ok(y > 60 && y < previewSize.height - 40, `${title.slice(0, 9)} reaches ${y}`);
  }
});

test('a picture of few colours is a PNG with a palette, one of many is left to others', () => {
  const pixels = Uint8Array.from([255, 0, 0, 255, 0, 0, 255, 255, 0, 0, 255, 255, 255, 0, 0, 255]);
  const png = encodePng({ width: 2, height: 2, pixels }) ?? Buffer.alloc(0);
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20), png[24], png[25]], [2, 2, 8, 3]);
  const palette = png.indexOf('PLTE');
  assert.deepEqual([...png.subarray(palette + 4, palette + 10)], [255, 0, 0, 0, 0, 255]);
  const data = png.indexOf('IDAT');
  const rows = inflateSync(png.subarray(data + 4, data + 4 + png.readUInt32BE(data - 4)));
  assert.deepEqual([...rows], [0, 0, 1, 0, 1, 0]);
  const many = Uint32Array.from({ length: 300 }, (_, index) => index);
  assert.equal(encodePng({ width: 300, height: 1, pixels: new Uint8Array(many.buffer) }), undefined);
});

describe('preview images', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'previews-'));
    await writeFile(
      join(folder, 'mark.svg'),
      '<svg viewBox="0 0 32 32"><rect width="32" height="32" fill="#175c4c"/></svg>',
    );
  });
  after(() => rm(folder, { recursive: true }));

  const render = (...titles: string[]) =>
    renderPreviews(
      titles.map((title) => ({ title, section: 'Blog' })),
      { site: join(folder, 'site'), cache: join(folder, 'cache'), mark: join(folder, 'mark.svg') },
    );

  test('are made once for each text, kept from build to build, and forgotten when nothing uses them', async () => {
    const first = await render('One', 'Two', 'One');
    assert.deepEqual([first.made, first.reused, first.paths[0] === first.paths[2]], [2, 0, true]);
    const [one = '', two = ''] = first.paths;
    const { mtimeMs } = await stat(join(folder, 'cache', one.split('/').at(-1) ?? ''));
    const second = await render('One');
    assert.deepEqual([second.made, second.reused, second.paths[0]], [0, 1, one]);
    assert.equal((await stat(join(folder, 'cache', one.split('/').at(-1) ?? ''))).mtimeMs, mtimeMs);
    assert.deepEqual(await readdir(join(folder, 'cache')), [one.split('/').at(-1)]);
    assert.notEqual(one, two);
    const png = await readFile(join(folder, 'site', one));
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [previewSize.width, previewSize.height]);
  });
});
