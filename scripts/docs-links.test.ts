import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '..');
const manuals = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).toSorted();

/** Converts headings to anchors as GitHub does: lower case, dashes for spaces, without other characters. */
function anchorsOf(file: string): Set<string> {
  const headings = readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function brokenLinks(manual: string): string[] {
  const text = readFileSync(join(root, manual), 'utf8').replaceAll(/```[\s\S]*?```/g, '');
  return [...text.matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => {
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? join(root, manual) : resolve(root, dirname(manual), path);
      if (!existsSync(file)) return true;
      return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).has(anchor);
    })
    .map((link) => `${manual}: ${link}`);
}

test('every link of the manuals to a file or a heading of this project works', () => {
  assert.ok(manuals.length > 50);
  assert.deepEqual(manuals.flatMap(brokenLinks), []);
});
