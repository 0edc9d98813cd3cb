import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../../..');

test('settings are checked in a clone in which nothing is installed', (t) => {
  const clone = mkdtempSync(join(tmpdir(), 'latchkey-settings-'));
  t.after(() => rmSync(clone, { recursive: true, force: true }));
  for (const path of globSync(['packages/*/package.json', 'packages/*/src'], { cwd: root }))
    cpSync(join(root, path), join(clone, path), { recursive: true });
  const check = (settings: Record<string, string>) =>
    spawnSync(process.execPath, ['packages/server/src/check-settings.ts'], {
      cwd: clone,
      env: { PATH: process.env.PATH, ...settings },
      encoding: 'utf8',
    });
  const good = check({ DATABASE_URL: 'postgres://latchkey@a,b/latchkey' });
  assert.deepEqual([good.stderr, good.status], ['', 0]);
  const bad = check({ LATCHKEY_PORT: 'abc' });
  assert.match(bad.stderr, /LATCHKEY_PORT must be a whole number/);
  assert.equal(bad.status, 78);
});
