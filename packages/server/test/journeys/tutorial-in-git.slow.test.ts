import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { until, volume } from '@latchkey/test-kit';
import { environmentOf, freePorts, makeDataFolder, shortResolve, startLatchkey } from '../harness/processes.ts';
import { urlOf } from '../harness/whole-latchkey.ts';

const root = resolve(import.meta.dirname, '../../../..');
const page = join(root, 'apps/portal/docs/tutorials/community-in-git.md');

/** The steps of the tutorial, as readers copy them. */
async function readSteps(): Promise<string[]> {
  const text = await readFile(page, 'utf8');
  return [...text.matchAll(/^```bash follow\n(.*?)^```$/gms)].map(([, commands = '']) => commands);
}

/** Its 20 or so commands each start a process; rules-in-ci.slow.test.ts runs the same ones in every run. */
const skip = volume(0, 1) === 0 && 'for npm run test:deep';

test('the tutorial “Your community in Git” works from npm start to the applied change, by its own commands', {
  skip,
}, async () => {
  await using folder = await makeDataFolder();
  const sandboxPort = await freePorts();
  const environment = {
    LATCHKEY_DATA_DIR: folder.path,
    LATCHKEY_PORT: '0',
    LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:9',
    LATCHKEY_SANDBOX: 'true',
    LATCHKEY_SANDBOX_PORT: String(sandboxPort),
  };
  await using latchkey = startLatchkey(['start'], environment);
  await urlOf(latchkey);
  const holdersOf = async (role: string) => {
    const answer = await fetch(`http://127.0.0.1:${sandboxPort}/emulator/guilds/100000000000000001`);
    const guild = (await answer.json()) as { members: { roles: string[] }[] };
    return guild.members.filter(({ roles }) => roles.includes(role)).length;
  };
  await until('the sample community has its roles', async () => (await holdersOf('Collector')) === 10);
  const before = await holdersOf('Collector');

  const home = await mkdtemp(join(tmpdir(), 'latchkey-tutorial-'));
  try {
    await makeNpm(join(home, 'bin'));
    const env = {
      ...environmentOf(environment),
      HOME: home,
      PATH: `${join(home, 'bin')}:${process.env.PATH}`,
      GIT_AUTHOR_NAME: 'Ann',
      GIT_AUTHOR_EMAIL: 'ann@example.org',
      GIT_COMMITTER_NAME: 'Ann',
      GIT_COMMITTER_EMAIL: 'ann@example.org',
      GIT_CONFIG_GLOBAL: '/dev/null',
    };
    const steps = await readSteps();
    const printed: string[] = [];
    for (const [index, commands] of steps.entries()) {
      // A plan with something in it returns 2, which the page says.
      const script = `set -e\n${commands.replaceAll(/^(npm run latchkey -- rules plan .*)$/gm, '$1 || [ $? -eq 2 ]')}`;
      const path = join(home, `step-${index}.sh`);
      await writeFile(path, script);
      const { stdout } = await promisify(execFile)('bash', [path], { cwd: tmpdir(), env }).catch(
        (error: { stdout?: string; stderr?: string }) =>
          assert.fail(`Step ${index + 1} failed:\n${commands}\n${error.stdout}${error.stderr}`),
      );
      printed.push(stdout);
    }
    const text = printed.join('\n');
    assert.match(printed[1] ?? '', /No changes\./);
    assert.match(text, /1 test, 0 failed\./);
    assert.match(text, /Insiders are holders: No member gets Insider without the role Holder\./);
    assert.match(text, /~ Rule “Three keys” \((min|minToken)\)/);
    assert.match(text, /Collector: 20 gain it, 0 lose it\./);
    assert.match(text, /## Latchkey rules: 2 changes/);
    assert.match(text, /applied 2 changes\./);
    assert.match(printed.at(-1) ?? '', /As in the file\./);
    assert.ok((await holdersOf('Collector')) > before, 'members got the role');
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

/** `npm run latchkey -- …`, without npm and without a .env file of the clone. */
async function makeNpm(folder: string): Promise<void> {
  await mkdir(folder);
  const main = join(root, 'packages/server/src/cli/main.ts');
  const script = `#!/bin/sh\n[ "$1 $2 $3" = "run latchkey --" ] || exit 64\nshift 3\nexec "${process.execPath}" "${shortResolve}" "${main}" "$@"\n`;
  await writeFile(join(folder, 'npm'), script, { mode: 0o755 });
}
