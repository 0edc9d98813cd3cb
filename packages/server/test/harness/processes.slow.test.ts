import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startCommandLine } from './command-line.ts';
import { makeDataFolder, runLatchkey } from './processes.ts';

test('an .env file in the working directory of the tests is not read by what they start', async () => {
  await using folder = await makeDataFolder();
  await writeFile(join(folder.path, '.env'), 'LATCHKEY_PORT=not-a-port\n');
  const here = process.cwd();
  process.chdir(folder.path);
  try {
    const alone = await runLatchkey(['no-such-command'], {});
    await using commandLine = startCommandLine();
    const shared = await commandLine.run(['no-such-command'], {});
    for (const { stderr } of [alone, shared]) {
      assert.match(stderr, /no-such-command/);
      assert.doesNotMatch(stderr, /LATCHKEY_PORT/);
    }
  } finally {
    process.chdir(here);
  }
});
