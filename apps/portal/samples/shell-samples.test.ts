import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { portalFolder } from '../config/folders.ts';

const folders = '{docs,help-docs,operators,dao,telefrens,blog}';
const lines = globSync(`${folders}/**/*.md`, { cwd: portalFolder }).flatMap((file) =>
  [...readFileSync(join(portalFolder, file), 'utf8').matchAll(/^ *```bash[^\n]*\n([\s\S]*?)^ *```/gm)]
    .flatMap(([, text = '']) => text.split('\n'))
    .map((line) => ({ file, line: line.trim() })),
);

test('shell samples have no nested quotes: what needs them uses a here document', () => {
  assert.ok(lines.length > 300, `${lines.length} lines were read`);
  assert.deepEqual(
    lines.filter(({ line }) => /'"|"'|'\$[A-Z]|\\"/.test(line)),
    [],
  );
});

test('shell samples wrap before they are wider than the page', () => {
  assert.deepEqual(
    lines.filter(({ line }) => line.length > 110),
    [],
  );
});
