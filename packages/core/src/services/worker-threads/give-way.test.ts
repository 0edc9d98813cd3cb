import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { getPriority, platform } from 'node:os';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const file = new URL('give-way.ts', import.meta.url).href;

/** The priority of a process after it gave way, having begun with this one. */
async function priorityAfter(own: number): Promise<number> {
  const program = `import { getPriority, setPriority } from 'node:os';
    import { yieldToEventLoop } from ${JSON.stringify(file)};
    setPriority(${own});
    yieldToEventLoop();
    console.log(getPriority());`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  return Number(stdout);
}

test('queries go behind what answers requests', { skip: platform() !== 'linux' && 'Only Linux has it.' }, async () => {
  const own = getPriority();
  assert.equal(await priorityAfter(own), Math.max(own, 10));
});

test('a process that was started to give way more than that stays so', async () => {
  assert.equal(await priorityAfter(19), 19);
});
