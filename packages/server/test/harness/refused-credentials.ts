import {
  type Context,
  contextFor,
  createAdminKey,
  createDevelopmentApp,
  decideClientApp,
  issueAccessToken,
  issueAeToken,
  revokeAccessToken,
  revokeAdminKey,
  revokeAeToken,
} from '@latchkey/core';
import type { ErrorCode, Operation } from '@latchkey/kernel';
import { caller } from './call-api.ts';
import { consoleSession } from './console-session.ts';
import { aliceId } from './identities.ts';
import { isOperatorOnly, needsNoCredential, scopesOf } from './served.ts';
import type { World } from './set-up-world.ts';
import type { TestServer } from './test-server.ts';

export type Headers = Readonly<Record<string, string>>;

/** A request with a wrong credential, and the response it must get. */
export interface Refused {
  kind: string;
  headers: Headers;
  codes: readonly ErrorCode[];
  appliesTo(operation: Operation): boolean;
}

const hourSeconds = 3600;
const user = { userId: aliceId, platform: 'discord' };
const holder = { kind: 'user' as const, ...user };
const all = ['$all'];

export async function makeRefusedCredentials(world: World): Promise<Refused[]> {
  const operator = contextFor(world.server.services, { kind: 'admin', name: 'test' });
  const unusable = [
    ...malformedCredentials(world.alice),
    ...(await wrongSchemeWords(world, operator)),
    ...(await outdatedTokens(world.server, operator)),
    ...(await keysOfStoppedApps(world, operator)),
  ].map(([kind, headers]) => unauthorized(kind, headers));
  const none: Refused = {
    kind: 'no credential',
    headers: {},
    codes: ['AUTHENTICATION_REQUIRED'],
    appliesTo: (operation) => !needsNoCredential(operation),
  };
  const silent: Refused = {
    ...none,
    kind: 'the cookie of the console without its header',
    headers: cookieAlone(await consoleSession(world.server, { authorization: await world.server.aeToken(aliceId) })),
  };
  return [none, silent, ...unusable, ...(await wrongRoles(world, operator)), ...(await wrongScopes(world, operator))];
}

function unauthorized(kind: string, headers: Headers): Refused {
  return { kind, headers, codes: ['INVALID_CREDENTIAL'], appliesTo: () => true };
}

function cookieAlone({ cookie = '' }: Headers): Headers {
  return { cookie };
}

type Named = [kind: string, headers: Headers];

function malformedCredentials(alice: string): Named[] {
  const b64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unsigned = `${b64({ alg: 'none' })}.${b64({ sub: aliceId, scope: '$all' })}.`;
  const tokens = ['', 'AE', 'Bearer', 'alice', 'AE two words', 'Bearer lk_at_short', `Bearer lk_at_${'A'.repeat(43)}`];
  tokens.push(`AE ${unsigned}`, `Bearer ${unsigned}`, 'AE ....', 'Bearer \u00e9', `Bearer ${'A'.repeat(9000)}`);
  // Names of inherited properties, in case a scheme is looked up by name.
  tokens.push('constructor x', 'toString x', 'valueOf x', '__proto__ x');
  tokens.push("Bearer ' or 1=1 --", 'AE e30..e30.e30.e30', 'Bearer null', 'Bearer undefined');
  const keys = ['', 'unknown.unknown', 'admin', `admin${'A'.repeat(12)}.${'A'.repeat(43)}`, 'A'.repeat(300)];
  keys.push(`${'A'.repeat(21)}.${'A'.repeat(43)}`, "' or 1=1 --", 'null', '*', '%');
  return [
    ...tokens.map((authorization): Named => ['a malformed Authorization header', { authorization }]),
    ...keys.map((key): Named => ['a malformed API key', { 'x-api-key': key }]),
    ['a malformed API key beside a good token', { 'x-api-key': 'unknown.unknown', authorization: alice }],
  ];
}

async function wrongSchemeWords({ server, alice }: World, operator: Context): Promise<Named[]> {
  const { token } = await issueAccessToken(operator, { holder, scopes: all, ttlSeconds: hourSeconds });
  const [, ae = ''] = alice.split(' ');
  const headers = [`Bearer ${ae}`, `AE ${token}`, `Ethereum ${ae}`, `Basic ${ae}`, `Token ${token}`, ae, token];
  headers.push(`Bearer ${server.adminKey}`, `AE ${server.adminKey}`, `ApiKey ${server.adminKey}`, server.adminKey);
  return [
    ...headers.map((authorization): Named => ['a good credential under the wrong word', { authorization }]),
    ['a good token in the place of an API key', { 'x-api-key': ae }],
    ['a good token in the place of an API key', { 'x-api-key': token }],
  ];
}

async function outdatedTokens(server: TestServer, operator: Context): Promise<Named[]> {
  // A minute of clock skew is tolerated, so the token expired a little more than that ago.
  const then = new Date(Date.now() - (hourSeconds + 62) * 1000);
  const past = contextFor({ ...server.services, clock: () => then }, operator.actor);
  const ae = { ...user, scopes: all, credential: 'wallet-session' as const, ttlSeconds: hourSeconds };
  const bearer = { holder, scopes: all, ttlSeconds: hourSeconds };
  const revokedAe = await issueAeToken(operator, ae);
  await revokeAeToken(operator, revokedAe);
  const revokedBearer = await issueAccessToken(operator, bearer);
  await revokeAccessToken(operator, revokedBearer.token);
  const adminKey = await createAdminKey(operator, 'gone');
  const browser = await consoleSession(server, { authorization: await server.aeToken(aliceId) });
  const ofOperator = await consoleSession(server, { 'x-api-key': adminKey.key });
  await server.request('DELETE', '/latchkey/session', { headers: { ...browser } });
  await revokeAdminKey(operator, adminKey.id);
  return [
    ['an expired AE token', { authorization: `AE ${await issueAeToken(past, ae)}` }],
    ['an expired access token', { authorization: `Bearer ${(await issueAccessToken(past, bearer)).token}` }],
    ['a revoked AE token', { authorization: `AE ${revokedAe}` }],
    ['a revoked access token', { authorization: `Bearer ${revokedBearer.token}` }],
    ['a console session that was logged out', browser],
    ['a console session of a revoked key', ofOperator],
    ['a revoked key of the operator', { 'x-api-key': adminKey.key }],
  ];
}

async function keysOfStoppedApps({ server, alice }: World, operator: Context): Promise<Named[]> {
  const call = caller(server, alice);
  const make = async (name: string) => {
    const { id = '', apiKey = '' } = await createDevelopmentApp(operator, { userId: aliceId, name, scopes: all });
    const scopes = { scopes: all, ttlSeconds: hourSeconds };
    const ofUser = await issueAccessToken(operator, { holder: { ...holder, clientId: id }, ...scopes });
    const ofApp = await issueAccessToken(operator, { holder: { kind: 'client', clientId: id }, ...scopes });
    return { id, apiKey, tokens: [ofUser.token, ofApp.token] };
  };
  const named = (kind: string, { apiKey, tokens }: Awaited<ReturnType<typeof make>>): Named[] => [
    [`the key of a ${kind} application`, { 'x-api-key': apiKey }],
    [`the key of a ${kind} application beside a good token`, { 'x-api-key': apiKey, authorization: alice }],
    ...tokens.map((token): Named => [`a token of a ${kind} application`, { authorization: `Bearer ${token}` }]),
  ];
  const [revoked, deleted, working, other] = [
    await make('Revoked'),
    await make('Deleted'),
    await make('Working'),
    await make('Other'),
  ];
  await decideClientApp(operator, { id: revoked.id, decision: 'revoke' });
  await call('DELETE', `/client-apps/${deleted.id}`);
  const reset = await make('Reset');
  await call('PATCH', `/client-apps/${reset.id}/reset-api-key`);
  const pending = await call('POST', '/client-apps', { name: 'Pending' });
  const rejected = await call('POST', '/client-apps', { name: 'Rejected' });
  await decideClientApp(operator, { id: rejected.id, decision: 'reject' });
  return [
    ...named('revoked', revoked),
    ...named('deleted', deleted),
    ['the key of a pending application', { 'x-api-key': pending.apiKey }],
    ['the key of a rejected application', { 'x-api-key': rejected.apiKey }],
    ['a key that was replaced', { 'x-api-key': reset.apiKey }],
    ['the client secret in the place of a key', { 'x-api-key': pending.clientSecret }],
    [
      'the key of one application beside a token of another',
      { 'x-api-key': working.apiKey, authorization: `Bearer ${other.tokens[0]}` },
    ],
  ];
}

async function wrongRoles({ alice }: World, operator: Context): Promise<Refused[]> {
  const app = await createDevelopmentApp(operator, { userId: aliceId, name: 'Strong', scopes: all });
  const clientId = app.id ?? '';
  const clientOnly = await issueAccessToken(operator, {
    holder: { kind: 'client', clientId },
    scopes: all,
    ttlSeconds: hourSeconds,
  });
  const forPeople = (operation: Operation) =>
    !needsNoCredential(operation) && !operation.contract.access.roles.includes('$service_account');
  const refused = (kind: string, headers: Headers, appliesTo: Refused['appliesTo']): Refused => ({
    kind,
    headers,
    codes: ['ROLE_NOT_ALLOWED'],
    appliesTo,
  });
  return [
    refused('an API key alone', { 'x-api-key': app.apiKey ?? '' }, forPeople),
    refused('a token of an application alone', { authorization: `Bearer ${clientOnly.token}` }, forPeople),
    refused('a user with every scope', { authorization: alice }, isOperatorOnly),
    refused('a user with every scope', { authorization: alice, 'x-api-key': app.apiKey ?? '' }, isOperatorOnly),
  ];
}

async function wrongScopes({ server, alice }: World, operator: Context): Promise<Refused[]> {
  const groups = await Promise.all(
    ['telefrens:waiting-list', 'user:pkp:sign'].map(async (scope) => {
      const weak = await server.apiKey([scope], aliceId);
      const strong = await server.apiKey(all, aliceId);
      const narrow = {
        holder: { kind: 'client' as const, clientId: strong.id },
        scopes: [scope],
        ttlSeconds: hourSeconds,
      };
      const headers: Headers[] = [
        { authorization: await server.aeToken(aliceId, [scope]) },
        { authorization: await server.aeToken(aliceId, []) },
        { authorization: await server.bearer(aliceId, [scope]) },
        { authorization: await server.bearer(aliceId, all, weak.id) },
        { authorization: `Bearer ${(await issueAccessToken(operator, narrow)).token}` },
        { 'x-api-key': weak.key },
        { 'x-api-key': weak.key, authorization: alice },
        { 'x-api-key': strong.key, authorization: await server.aeToken(aliceId, [scope]) },
      ];
      return headers.map(
        (one): Refused => ({
          kind: 'a scope that opens something else',
          headers: one,
          codes: ['SCOPE_NOT_ALLOWED', 'ROLE_NOT_ALLOWED'],
          appliesTo: (operation) => scopesOf(operation).length > 0 && !scopesOf(operation).includes(scope),
        }),
      );
    }),
  );
  return groups.flat();
}
