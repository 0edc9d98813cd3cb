import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDiscordEmulator } from '@latchkey/emulators/discord';
import { Routes } from 'discord-api-types/v10';
import type { DiscordClient } from './rest/create-client.ts';

/** Every path that Discord's own types know, with a colon for each parameter. */
const known: ReadonlySet<string> = new Set(
  Object.values(Routes as unknown as Record<string, (...ids: string[]) => string>)
    // Some routes have a shorter form without their last parameter, and `@me` as its default.
    .flatMap((route) => [10, route.length, 1, 0].map((count) => route(...Array<string>(count).fill('0'))))
    .map(shapeOf),
);

function shapeOf(path: string): string {
  return path
    .replaceAll('%40', '@')
    .split('/')
    .map((segment) => (segment === '0' || segment.startsWith(':') ? ':' : segment))
    .join('/');
}

/** Pictures, and the metadata of the sign-in server, which RFC 8414 describes. */
const notOfTheApi = new Set(['/icons/:/:', '/.well-known/oauth-authorization-server']);

test('the emulator serves only routes that Discord’s own types describe', async (t) => {
  const { routes, stop } = await startDiscordEmulator();
  t.after(stop);
  assert.ok(routes.length > 40, String(routes.length));
  const paths = routes.map((label) => label.split(' ')[1] ?? '').filter((path) => !notOfTheApi.has(shapeOf(path)));
  assert.deepEqual(
    paths.filter((path) => !known.has(shapeOf(path))),
    [],
  );
});

test('the compiler refuses requests that Discord’s own types do not describe', () => {
  assert.equal(typeof refusedByTypes, 'function');
});

/** Never called. */
async function refusedByTypes({ call }: DiscordClient, id: string): Promise<void> {
  await call('PATCH', `/guilds/${id}/members/${id}`, { body: { roles: [id] } });
  // @ts-expect-error There is no such path.
  await call('GET', `/guild/${id}`);
  // @ts-expect-error There is no such method.
  await call('POST', `/guilds/${id}`);
  // @ts-expect-error There is no such field.
  await call('PATCH', `/guilds/${id}/members/${id}`, { body: { role_ids: [id] } });
  // @ts-expect-error The ids of roles are texts.
  await call('PATCH', `/guilds/${id}/members/${id}`, { body: { roles: [1] } });
  // @ts-expect-error There is no such parameter.
  await call('GET', `/guilds/${id}`, { query: { counts: 'true' } });
}
