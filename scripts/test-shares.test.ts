import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeFakeClone } from './fake-clone.ts';
import { dealFiles, readFileSeconds, recordFileSeconds } from './test-shares.mjs';

test('folders are dealt so that all shares take about the same time, each file once', () => {
  const recorded = { 'a/1': 60, 'a/2': 30, 'b/1': 50, 'c/1': 40, 'd/1': 25, 'd/2': 5, 'e/1': 10 };
  const files = Object.keys(recorded);
  assert.deepEqual(dealFiles(files, recorded, 2), [
    ['a/1', 'a/2', 'd/1', 'd/2'],
    ['b/1', 'c/1', 'e/1'],
  ]);
  assert.deepEqual(dealFiles(files, recorded, 1), [files]);
});

test('a folder that is more than a share is taken apart', () => {
  const recorded = { 'a/1': 50, 'a/2': 40, 'a/3': 20, 'b/1': 10, 'b/2': 1 };
  assert.deepEqual(dealFiles(Object.keys(recorded), recorded, 2), [
    ['a/1', 'b/1', 'b/2'],
    ['a/2', 'a/3'],
  ]);
});

test('files without a record count as short ones', () => {
  const files = Array.from({ length: 40 }, (_, n) => `new-${n}/file`);
  const shares = dealFiles([...files, 'long/file'], { 'long/file': 6 }, 2);
  assert.deepEqual(shares.map((share) => share.length).sort(), [11, 30]);
  assert.deepEqual(shares.flat().sort(), [...files, 'long/file'].sort());
});

test('there is no share without a file', () => {
  assert.deepEqual(dealFiles(['a/only'], {}, 2), [['a/only']]);
  assert.deepEqual(dealFiles([], {}, 2), []);
});

test('a record keeps what was not run, forgets what is gone and leaves out what is quick', (t) => {
  const { root, write } = makeFakeClone(t);
  assert.deepEqual(readFileSeconds(root), {});
  write('scripts/test-seconds.json', '{"gone": 9, "kept": 7, "measured": 3}');
  const took = [
    { file: 'measured', ms: 12_300 },
    { file: 'quick', ms: 20 },
  ];
  recordFileSeconds(root, took, ['kept', 'measured', 'quick']);
  assert.deepEqual(readFileSeconds(root), { kept: 7, measured: 12 });
  write('scripts/test-seconds.json', '{"half of');
  assert.deepEqual(readFileSeconds(root), {});
});
