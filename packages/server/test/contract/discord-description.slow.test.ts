import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { volume } from '@latchkey/test-kit';
import { type Exchange, readDescription } from './discord-description.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const file = process.env.LATCHKEY_DISCORD_OPENAPI;
const skip =
  (volume(0, 1) === 0 && 'for npm run test:deep') ||
  (file === undefined && 'LATCHKEY_DISCORD_OPENAPI does not name Discord’s OpenAPI document');

/** Requests to the sign-in server, which Discord's description leaves out: RFC 6749 and RFC 7009 describe them. */
const isSignIn = ({ url }: Exchange) => /^(\/v10)?\/oauth2\/token(\/revoke)?$/.test(url);
/** Discord's client and our sign-in name Latchkey; what a test sends by itself, on purpose malformed, does not. */
const isOurs = ({ userAgent = '' }: Exchange) => userAgent.includes('Latchkey');

test('every request of the platform tests, and every response to it, is valid by Discord’s own description', {
  skip,
}, async (t) => {
  const exchanges = (await record()).filter((one) => isOurs(one) && !isSignIn(one));
  const description = await readDescription(file ?? '');
  const routes = new Map<string, number>();
  const violations = new Map<string, number>();
  for (const exchange of exchanges) {
    const { route, problems } = description.check(exchange);
    routes.set(route, (routes.get(route) ?? 0) + 1);
    for (const problem of problems)
      violations.set(`${route} ${problem}`, (violations.get(`${route} ${problem}`) ?? 0) + 1);
  }
  t.diagnostic(`${exchanges.length} requests to ${routes.size} routes`);
  for (const [route, count] of [...routes].toSorted()) t.diagnostic(`${route}: ${count}`);
  assert.deepEqual(
    [...violations].map(([text, count]) => `${text} (${count})`),
    [],
  );
  // Far fewer would mean that the recording missed most of them.
  assert.ok(routes.size >= 15 && exchanges.length >= 300, `${exchanges.length} requests to ${routes.size} routes`);
});

test('the description finds what is wrong with a request or a response', { skip }, async () => {
  const { check } = await readDescription(file ?? '');
  const patch = (url: string, body: unknown, reply?: unknown) =>
    check({
      method: 'PATCH',
      url,
      body: JSON.stringify(body),
      contentType: 'application/json',
      status: reply === undefined ? 204 : 200,
      ...(reply !== undefined && { reply: JSON.stringify(reply) }),
    }).problems;
  const member = '/v10/guilds/1/members/2';
  assert.deepEqual(patch(member, { roles: ['3'] }), []);
  for (const [problem, found] of [
    [/a body that .*role_ids/, patch(member, { role_ids: ['3'] })],
    [/a body that/, patch(member, { roles: [3] })],
    [/a body that/, patch(member, { roles: ['x'] })],
    [/unknown query parameter/, patch(`${member}?reason=x`, { roles: [] })],
    [/malformed path parameter guild_id/, patch('/v10/guilds/me/members/2', { roles: [] })],
    [/version/, patch('/guilds/1/members/2', { roles: [] })],
    [/is not described/, patch('/v10/guilds/1/member/2', { roles: [] })],
    [/is answered with a body that/, patch(member, { roles: ['3'] }, { user: { id: 2 } })],
  ] as const)
    assert.match(found.join('\n'), problem);
});

/** Runs every test that starts the Discord emulator within packages/core and packages/platforms, and returns what the emulators received. */
async function record(): Promise<Exchange[]> {
  const files = globSync('packages/{core,platforms}/src/**/*.test.ts', { cwd: root }).filter((path) =>
    /discordPlatform|startDiscordEmulator/.test(readFileSync(join(root, path), 'utf8')),
  );
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-discord-'));
  const recording = join(folder, 'exchanges.jsonl');
  try {
    const preloaded = ['short-resolve.mjs', 'record-discord.mjs'].map(
      (name) => `--import=${new URL(`../../../../scripts/tests/${name}`, import.meta.url).href}`,
    );
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const child = spawn(process.execPath, ['--test', '--test-concurrency=1', ...files], {
      cwd: root,
      env: {
        ...env,
        // The requests are the same in any volume.
        LATCHKEY_TEST_VOLUME: 'usual',
        LATCHKEY_DISCORD_EXCHANGES: recording,
        NODE_OPTIONS: preloaded.join(' '),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output = (output + chunk).slice(-8_000)));
    const code = await new Promise((resolve) => child.once('close', resolve));
    assert.equal(code, 0, output);
    const lines = (await readFile(recording, 'utf8')).trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Exchange);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
