import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const commandLine = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

test('the demo completes and reports it with its exit code', async () => {
  const demo = spawn(process.execPath, [commandLine, 'demo'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [shown, complaints, [code]] = await Promise.all([text(demo.stdout), text(demo.stderr), once(demo, 'exit')]);
  assert.equal(code, 0, `${shown}\n${complaints}`);
  assert.match(shown, /All steps passed\./);
  assert.equal(shown.match(/✓/g)?.length, 13);
});
