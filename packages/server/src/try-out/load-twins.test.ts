import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadTwins } from './load-twins.ts';

const missing = Object.assign(new Error("Cannot find package 'hardhat'"), { code: 'ERR_MODULE_NOT_FOUND' });

test('the stand-ins are there in a development install', async () => {
  assert.equal(typeof (await loadTwins()).startSampleWorld, 'function');
});

test('in a production install a person is told which command installs them', async () => {
  await assert.rejects(
    loadTwins(() => Promise.reject(missing)),
    /not installed: this is a production install\. Run `npm start`/,
  );
});

test('any other failure to load them is passed on', async () => {
  const broken = new SyntaxError('Unexpected token');
  await assert.rejects(
    loadTwins(() => Promise.reject(broken)),
    broken,
  );
});
