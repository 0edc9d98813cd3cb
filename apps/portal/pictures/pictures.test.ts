import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { portalFolder } from '../config/folders.ts';
import sizePictures from '../remark/size-pictures.ts';
import type { Node } from '../remark/tree.ts';
import { pictureFile, picturesFolder, sizeOfWebp, themes } from './files.ts';
import { pictures } from './list.ts';
import { recordings } from './recordings.ts';

const most = { each: 64_000, all: 6_000_000 };

interface Use {
  page: string;
  name: string;
  alt: string;
}

/** Every picture that a page of the help or a post shows. */
function uses(): Use[] {
  return ['help-docs', 'blog']
    .flatMap((folder) =>
      readdirSync(join(portalFolder, folder), { recursive: true, encoding: 'utf8' }).map((page) => join(folder, page)),
    )
    .filter((page) => page.endsWith('.md'))
    .flatMap((page) =>
      [...readFileSync(join(portalFolder, page), 'utf8').matchAll(/<Screenshot of="([^"]*)" alt="([^"]*)" \/>/g)].map(
        ([, name = '', alt = '']) => ({ page, name, alt }),
      ),
    );
}

function screenshot(attributes: Record<string, string>): Node {
  const written = Object.entries(attributes).map(([name, value]) => ({ type: 'mdxJsxAttribute', name, value }));
  return { type: 'root', children: [{ type: 'mdxJsxFlowElement', name: 'Screenshot', attributes: written }] };
}

describe('pictures of the help pages', () => {
  const frames = recordings.flatMap((recording) => recording.frames);
  const shown = new Set([...uses(), ...frames.map(({ picture: name }) => ({ name }))].map(({ name }) => name));
  const listed = pictures.map(({ name }) => name);

  test('that a page shows are in the list, and each of the list is shown', () => {
    assert.deepEqual([...shown].filter((name) => !listed.includes(name)).sort(), []);
    assert.deepEqual(
      listed.filter((name) => !shown.has(name)),
      [],
    );
    assert.equal(new Set(listed).size, listed.length, 'each name is there once');
  });

  test('exist in both themes, and there are no other files', () => {
    const expected = listed.flatMap((name) => themes.map((theme) => `${name}.${theme}.webp`));
    assert.deepEqual(readdirSync(picturesFolder).sort(), expected.sort());
  });

  test('are small, and not larger than a page is wide', () => {
    const files = listed.flatMap((name) => themes.map((theme) => pictureFile(name, theme))).filter(existsSync);
    const sizes = files.map((file) => ({ file, bytes: statSync(file).size, ...sizeOfWebp(file) }));
    assert.deepEqual(
      sizes.filter(({ bytes, width, height }) => bytes > most.each || width > 2_400 || height > 2_000),
      [],
    );
    assert.ok(sizes.reduce((sum, { bytes }) => sum + bytes, 0) < most.all);
  });

  test('are at the head of every post', () => {
    const posts = readdirSync(join(portalFolder, 'blog')).filter((page) => page.endsWith('.md'));
    const heads = posts.map((page) => readFileSync(join(portalFolder, 'blog', page), 'utf8').split('{/* truncate */}'));
    assert.deepEqual(
      posts.filter((_, index) => !heads[index]?.[0]?.includes('<Screenshot of=')),
      [],
    );
  });

  test('have a sentence as alternative text, and in a recording as caption', () => {
    const poor = uses().filter(({ alt }) => alt.length < 30 || alt.length > 200 || !alt.endsWith('.'));
    assert.deepEqual(poor, []);
    const terse = frames.filter(({ caption }) => caption.length < 15 || caption.length > 90 || !caption.endsWith('.'));
    assert.deepEqual(terse, []);
  });

  test('make up recordings, each of which a page shows', () => {
    const pages = ['docs', 'help-docs', 'operators'].flatMap((name) => {
      const folder = join(portalFolder, name);
      const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
      return paths.map((path) => readFileSync(join(folder, path), 'utf8'));
    });
    const unseen = recordings.filter(({ name }) => !pages.some((text) => text.includes(`<Recording of="${name}" />`)));
    assert.deepEqual(unseen, []);
    const tree = { type: 'root', children: [{ ...screenshot({ of: 'first-role' }).children?.[0], name: 'Recording' }] };
    sizePictures()(tree as Node);
    const [shown] = (tree as Node).children ?? [];
    assert.equal(shown?.children?.length, recordings.find(({ name }) => name === 'first-role')?.frames.length);
    assert.throws(
      () => sizePictures()({ type: 'root', children: [{ type: 'mdxJsxFlowElement', name: 'Recording' }] }),
      /no recording/,
    );
  });

  test('declare their sizes, so that nothing shifts when they load', () => {
    const [name = ''] = listed;
    const tree = screenshot({ of: name, alt: 'A screen.' });
    sizePictures()(tree);
    const written = Object.fromEntries((tree.children?.[0]?.attributes ?? []).map((one) => [one.name, one.value]));
    for (const theme of themes) {
      const { width, height } = sizeOfWebp(pictureFile(name, theme));
      assert.equal(written[theme], `${Math.round(width / 2)}x${Math.round(height / 2)}`);
    }
  });

  test('fail the build without alternative text, and when they are missing', () => {
    assert.throws(() => sizePictures()(screenshot({ of: listed[0] ?? '' })), /has no alt/);
    assert.throws(() => sizePictures()(screenshot({ of: 'nowhere', alt: 'Nothing.' })), /no picture "nowhere"/);
  });

  test('have their size read in each of the three WebP formats, and other files are rejected', () => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-webp-'));
    const head = (kind: string, rest: readonly number[]) =>
      Buffer.concat([Buffer.from(`RIFF....WEBP${kind}....`, 'latin1'), Buffer.from(rest)]);
    const sizeOf = (bytes: Buffer) => {
      writeFileSync(join(folder, 'one.webp'), bytes);
      return sizeOfWebp(join(folder, 'one.webp'));
    };
    try {
      const size = { width: 640, height: 360 };
      assert.deepEqual(sizeOf(head('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0x68, 0x01])), size);
      assert.deepEqual(sizeOf(head('VP8X', [0, 0, 0, 0, 0x7f, 0x02, 0, 0x67, 0x01, 0])), size);
      assert.deepEqual(sizeOf(head('VP8L', [0x2f, 0x7f, 0xc2, 0x59, 0, 0, 0, 0, 0, 0])), size);
      assert.throws(() => sizeOf(Buffer.from('GIF89a, which is another form')), /is not a WebP image/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
