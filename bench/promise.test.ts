import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const module = new URL('promise.ts', import.meta.url).href;

function runBench(isKept: boolean): Promise<{ status: number; output: string }> {
  const code = `const { expectPromised } = await import(${JSON.stringify(module)}); expectPromised(${isKept}, 'At most 30 calls');`;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--input-type=module', '-e', code],
      { cwd: fileURLToPath(new URL('.', import.meta.url)) },
      (error, stdout) => resolve({ status: error === null ? 0 : Number(error.code), output: stdout }),
    );
  });
}

test('a benchmark fails if a figure is not as promised, and says which', async () => {
  assert.deepEqual(await runBench(true), { status: 0, output: 'At most 30 calls: met\n' });
  assert.deepEqual(await runBench(false), { status: 1, output: 'At most 30 calls: MISSED\n' });
});
