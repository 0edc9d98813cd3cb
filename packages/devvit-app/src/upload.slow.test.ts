import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { volume } from '@latchkey/test-kit';

const app = join(import.meta.dirname, '../app');
const root = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** Reddit's packages take 219 MB, so they are installed for this test alone. */
const skip = volume(0, 1) === 0 && 'for npm run test:deep';

describe('the app that is uploaded to Reddit', { skip }, () => {
  test('passes with Reddit’s test kit, from its own lock file, and is built into one file', async () => {
    await run('npm', ['ci'], { cwd: app });
    await run(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.json'], { cwd: app });
    const { stdout } = await run('npm', ['test', '--', '--reporter=json'], { cwd: app });
    const report = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { numPassedTests: number; numTotalTests: number };
    assert.deepEqual([report.numPassedTests, report.numTotalTests], [7, 7]);
    await run('npm', ['run', 'build'], { cwd: app });
    const built = await readFile(join(app, 'dist/server/index.cjs'), 'utf8');
    assert.doesNotMatch(built, /require\("@devvit/);
    assert.doesNotMatch(built, /posthog/i);
  });
});
