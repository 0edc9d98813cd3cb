import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

const folders = new URL('folders.ts', import.meta.url).href;

function foldersIn(env: NodeJS.ProcessEnv): string[] {
  const script = `console.log(JSON.stringify(Object.values(await import(${JSON.stringify(folders)})).sort()))`;
  const { LATCHKEY_TEST_RUN: _, ...others } = process.env;
  const options = { env: { ...others, ...env }, encoding: 'utf8' as const };
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', script], options));
}

test('a test run builds the portal in another folder than the one a running server serves', () => {
  const served = foldersIn({});
  const tested = foldersIn({ LATCHKEY_TEST_RUN: 'latchkey-tests-a' });
  const shared = served.filter((path) => tested.includes(path));
  assert.equal(served.length, 4);
  assert.deepEqual(shared, [new URL('..', folders).pathname.replace(/\/$/, '')]);
});
