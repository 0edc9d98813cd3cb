import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeRunFolder } from './run-folder.ts';

test('the folder of a run is gone after it, with a disk that a killed test left mounted in it', async (t) => {
  const { path, databases, sweepUp } = makeRunFolder();
  const disk = join(path, 'a disk');
  mkdirSync(disk);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
  if (status !== 0) t.diagnostic('without a disk: only root on Linux may mount one');
  writeFileSync(join(disk, 'file'), 'left behind');
  writeFileSync(join(databases, 'file'), 'left behind');
  await sweepUp();
  assert.equal(existsSync(path), false);
  assert.equal(existsSync(databases), false);
});
