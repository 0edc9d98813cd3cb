import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadEmulators } from './load-emulators.ts';

const missing = Object.assign(new Error("Cannot find package 'hardhat'"), { code: 'ERR_MODULE_NOT_FOUND' });

test('the emulators are available in a development install', async () => {
  assert.equal(typeof (await loadEmulators()).startSampleWorld, 'function');
});

test('in a production install the error names the command that installs them', async () => {
  await assert.rejects(
    loadEmulators(() => Promise.reject(missing)),
    /not installed: this is a production install\. Run `npm start`/,
  );
});

test('any other failure to load them is passed on', async () => {
  const broken = new SyntaxError('Unexpected token');
  await assert.rejects(
    loadEmulators(() => Promise.reject(broken)),
    broken,
  );
});
