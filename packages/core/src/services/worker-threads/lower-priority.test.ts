import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { getPriority, platform } from 'node:os';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const file = new URL('lower-priority.ts', import.meta.url).href;

/** Returns the priority of a process that started with `own` and lowered it. */
async function priorityAfter(own: number): Promise<number> {
  const program = `import { getPriority, setPriority } from 'node:os';
    import { lowerPriority } from ${JSON.stringify(file)};
    setPriority(${own});
    lowerPriority();
    console.log(getPriority());`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  return Number(stdout);
}

test('queries run at a lower priority than requests', {
  skip: platform() !== 'linux' && 'Only on Linux.',
}, async () => {
  const own = getPriority();
  assert.equal(await priorityAfter(own), Math.max(own, 10));
});

test('a process that started with a lower priority keeps it', async () => {
  assert.equal(await priorityAfter(19), 19);
});
