import { contextFor, createDevelopmentApp } from '@latchkey/core';
import type { Operation } from '@latchkey/kernel';
import type { Dice } from './dice.ts';
import { drawFixtures } from './draw-fixture.ts';
import { aliceId } from './identities.ts';
import { newDevice, registerPasskey, samplePasskeys } from './passkeys.ts';
import { sampleLogins } from './sample-logins.ts';
import type { Samples } from './sample-request.ts';
import { passkeyIds, type World } from './set-up-world.ts';

/** Returns how many consumable samples some requests need, if 300 of them need `count`. */
export type Share = (count: number) => number;

/** Returns the samples for valid requests of an operation, with objects of alice's that they may consume. */
export async function samplesFor(world: World, operation: Operation, share: Share): Promise<Samples> {
  return {
    ...(await appSamples(world, operation, share)),
    ...(await passkeySamples(world, operation, share)),
    ...(await loginSamples(world, operation, share)),
    ...(await drawFixtures(world, operation, share)),
    ...(await ruleSetSamples(world, operation)),
  };
}

/** What is applied is planned for the versions that there are. */
export async function ruleSetSamples(
  { server, alice, community, samples }: World,
  { route, path }: Operation,
): Promise<Samples> {
  const body = samples[`${route} body`];
  if (!/^PUT .*\/rule-set(\/brakes)?$/.test(route) || typeof body !== 'function') return {};
  const address = `/latchkey/communities/${encodeURIComponent(community.id)}/rule-set`;
  const { json } = await server.request('GET', address, { headers: { authorization: alice } });
  const version = path.endsWith('/brakes') ? json.brakesVersion : json.version;
  return { [`${route} body`]: (dice: Dice) => ({ ...Object(body(dice)), version }) };
}

/** Whether each user can call this only a few times. */
export function isForFewCalls({ route }: Pick<Operation, 'route'>): boolean {
  return ['POST /dev-orgs', 'GET /totp/{requestId}'].includes(route);
}

/** The pagination token in the samples is for the list of applications: every other list refuses it. */
export function isOfApps({ path }: Operation): boolean {
  return path.startsWith('/client-apps');
}

const appsPerRun = 20;

/** Applications of alice's that exist when a run starts; some operations delete them. */
async function appSamples({ server, alice, samples }: World, operation: Operation, share: Share): Promise<Samples> {
  const { json } = await server.request('GET', '/client-apps?limit=1', { headers: { authorization: alice } });
  const known = { ...samples, paginationToken: json.paginationToken };
  if (!isOfApps(operation)) return known;
  const operator = contextFor(server.services, { kind: 'admin', name: 'fuzz' });
  const app = { userId: aliceId, name: 'Fixture', scopes: ['user:read'] };
  const apps = await Promise.all(Array.from({ length: share(appsPerRun) }, () => createDevelopmentApp(operator, app)));
  const drawId = (dice: Dice) => dice.pick(apps).id;
  return { ...known, id: drawId, clientAppId: drawId };
}

const loginsPerRun = 110;

/** Signed challenges, each of which signs in once. */
async function loginSamples({ server }: World, { path }: Operation, share: Share): Promise<Samples> {
  return path === '/ethereum-login/id-tokens' ? sampleLogins(server, share(loginsPerRun)) : {};
}

const passkeysPerRun = 40;
const answersPerRun = 60;

/** Passkeys of alice's that exist when a run starts, and responses to challenges, which expire within minutes. */
async function passkeySamples(
  { server, alice, device, owned }: World,
  { path, route }: Operation,
  share: Share,
): Promise<Samples> {
  if (!path.startsWith('/webauthn/')) return {};
  const answers = await samplePasskeys(server, alice, device, (other) => (other === route ? share(answersPerRun) : 1));
  if (!path.startsWith('/webauthn/credentials')) return answers;
  const { json } = await server.request('GET', '/webauthn/credentials', { headers: { authorization: alice } });
  const ids = (json.items as { id: string }[]).map(({ id }) => id).filter((id) => id !== owned.passkey?.id);
  while (ids.length < share(passkeysPerRun)) ids.push(await registerPasskey(server, alice, newDevice()));
  return { ...answers, ...passkeyIds((dice: Dice) => dice.pick(ids)) };
}
