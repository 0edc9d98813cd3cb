import assert from 'node:assert/strict';
import { test } from 'node:test';
import { volume } from '@latchkey/test-kit';
import { type Exchange, readDescription } from './discord-description.ts';
import { findDiscordTests, isOurs, recordDiscord } from './record-discord.ts';

const file = process.env.LATCHKEY_DISCORD_OPENAPI;
const skip =
  (volume(0, 1) === 0 && 'for npm run test:deep') ||
  (file === undefined && 'LATCHKEY_DISCORD_OPENAPI does not name Discord’s OpenAPI document');

/** Requests to the sign-in server, which Discord's description leaves out: RFC 6749 and RFC 7009 describe them. */
const isSignIn = ({ url }: Exchange) => /^(\/v10)?\/oauth2\/token(\/revoke)?$/.test(url);

test('every request to Discord in any test, and every response to it, is valid by Discord’s own description', {
  skip,
}, async (t) => {
  const files = findDiscordTests();
  // Parts of the product that talk to Discord in a whole server, in the console, in a composed system and under faults.
  for (const part of ['apps/console/', 'server/test/journeys/', 'server/test/resilience/', 'server/src/compose/'])
    assert.ok(
      files.some((path) => path.includes(part)),
      `no test of ${part} was found`,
    );
  const { exchanges: all, failure } = await recordDiscord(files);
  // A test that fails here is reported by its own run as well; what it sent counts.
  if (failure !== undefined) t.diagnostic(`Some tests failed: ${failure.slice(-2_000)}`);
  const exchanges = all.filter((one) => isOurs(one) && !isSignIn(one));
  const description = await readDescription(file ?? '');
  const routes = new Map<string, number>();
  const violations = new Map<string, number>();
  for (const exchange of exchanges) {
    const { route, problems } = description.check(exchange);
    routes.set(route, (routes.get(route) ?? 0) + 1);
    for (const problem of problems)
      violations.set(`${route} ${problem}`, (violations.get(`${route} ${problem}`) ?? 0) + 1);
  }
  t.diagnostic(`${exchanges.length} requests to ${routes.size} routes, in ${files.length} files`);
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
