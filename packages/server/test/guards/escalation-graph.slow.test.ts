import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { contextFor, createConnectLink, issueAccessToken, issueAeToken } from '@latchkey/core';
import { sql } from '@latchkey/db';
import { seedNumber, volume } from '@latchkey/test-kit';
import fc from 'fast-check';
import { privateKeyToAccount } from 'viem/accounts';
import { type Attempt, type Found, openEscalationGraph } from '../harness/escalation-graph.ts';
import { aliceId } from '../harness/identities.ts';
import { openWorld, type World } from '../harness/set-up-world.ts';
import { behindProxy } from '../harness/visit-server.ts';

const sequences = volume(12, 2_000);

describe('no credential leads to a stronger one', () => {
  let world: World;
  let kinds: { kind: string; make: () => Promise<string> }[];

  before(async () => {
    world = await openWorld({ ...behindProxy, LATCHKEY_ETHEREUM_FIXED_TEXT: 'true' });
    kinds = await limitedCredentials(world);
  });
  after(() => world.server.close());

  /** Runs random sequences, and returns the first credential that is stronger than the one it came from. */
  async function search(runs: number, path: string): Promise<Found | undefined> {
    const escalationGraph = openEscalationGraph(world);
    let found: Found | undefined;
    const attempts = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...escalationGraph.tricks) },
        fc.constantFrom(...escalationGraph.calls),
      ),
      {
        minLength: 2,
        maxLength: 8,
      },
    );
    const property = fc.asyncProperty(fc.nat({ max: kinds.length - 1 }), attempts, async (chosen, steps: Attempt[]) => {
      const { kind, make } = kinds[chosen] ?? { kind: '', make: () => Promise.resolve('') };
      const stronger = await escalationGraph.run(kind, await make(), steps);
      found ??= stronger;
      return stronger === undefined;
    });
    const outcome = await fc.check(property, {
      seed: seedNumber(`escalation graph ${path}`),
      numRuns: runs,
      endOnFailure: true,
    });
    // A sequence that could not be run at all proves nothing.
    if (outcome.failed && found === undefined) throw outcome.errorInstance;
    return found;
  }

  test('whatever a limited credential does, returned credentials allow no more than it did', async (t) => {
    const found = await search(sequences, 'whole');
    t.diagnostic(`${sequences} sequences from ${kinds.length} kinds of credential`);
    assert.equal(found, undefined, found && JSON.stringify(found, null, 2));
  });

  test('a planted vulnerability is found: wallets that sign in from the moment they are linked', async () => {
    const { system } = world.server.services.db;
    await sql`
      create function plant() returns trigger language plpgsql as $$
      begin new.signs_in_since := now(); new.scopes := '{$all}'; return new; end $$`.execute(system);
    await sql`create trigger plant before insert on wallet_connections for each row execute function plant()`.execute(
      system,
    );
    try {
      const found = await search(2_000, 'planted');
      assert.equal(found?.by, 'sign in with a wallet of our own', JSON.stringify(found));
    } finally {
      await sql`drop trigger plant on wallet_connections`.execute(system);
      await sql`drop function plant()`.execute(system);
      await sql`update wallet_connections set signs_in_since = null, scopes = '{}'`.execute(system);
    }
  });
});

/** Credentials of alice, each with less access than she has. */
async function limitedCredentials({ server }: World): Promise<{ kind: string; make: () => Promise<string> }[]> {
  const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
  const person = { userId: aliceId, platform: 'discord' };
  const walletApp = await server.apiKey(['user:wallet:read', 'user:wallet:write']);
  const passkeyApp = await server.apiKey([
    'user:webauthn-credential:read',
    'user:webauthn-credential:write',
    'user:read',
  ]);
  const stateApp = await server.apiKey(['state:create', 'community:read', 'user:community:read']);
  const signApp = await server.apiKey(['user:pkp:read', 'user:pkp:sign', 'user:wallet:write']);
  const nothing = await server.apiKey([]);
  const bearer = async (clientId: string, scopes: string[]) => {
    const holder = { kind: 'user' as const, ...person, clientId };
    return `Bearer ${(await issueAccessToken(operator, { holder, scopes, ttlSeconds: 3600 })).token}`;
  };
  const ae = async (user: Omit<Parameters<typeof issueAeToken>[1], 'userId' | 'platform' | 'ttlSeconds'>) =>
    `AE ${await issueAeToken(operator, { ...person, ...user, ttlSeconds: 900 })}`;
  return [
    { kind: 'openid alone', make: () => bearer(nothing.id, ['openid']) },
    {
      kind: 'an application that links wallets',
      make: () => bearer(walletApp.id, ['user:wallet:read', 'user:wallet:write']),
    },
    {
      kind: 'an application that adds passkeys',
      make: () =>
        bearer(passkeyApp.id, ['user:webauthn-credential:read', 'user:webauthn-credential:write', 'user:read']),
    },
    { kind: 'an application that keeps states', make: () => bearer(stateApp.id, ['state:create', 'community:read']) },
    {
      kind: 'an application that signs',
      make: () => bearer(signApp.id, ['user:pkp:read', 'user:pkp:sign', 'user:wallet:write']),
    },
    { kind: 'an identity token', make: () => ae({ scopes: [], credential: 'identity-token', clientId: stateApp.id }) },
    { kind: 'a limited passkey', make: () => ae({ scopes: ['user:wallet:write'], credential: 'passkey-session' }) },
    { kind: 'a consent token', make: () => ae({ scopes: [], credential: 'consent-token', purpose: 'consent:none' }) },
    { kind: 'a signature over the published text', make: () => signPublishedText(server) },
    {
      kind: 'a link to connect wallets',
      make: async () => {
        const system = contextFor(server.services, { kind: 'system', job: 'test' });
        const { slug } = await createConnectLink(system, person, { withPasskeys: true });
        const { text } = await server.request('GET', `/connect/${slug}`);
        const [, token = ''] = /"token":"([^"]+)"/.exec(text) ?? [];
        assert.ok(token);
        return `AE ${token}`;
      },
    },
  ];
}

// An account of the well-known test mnemonic, which is public.
const wallet = privateKeyToAccount('0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a');

/** Returns alice's Ethereum header, with a wallet that she lets sign in with full access. */
async function signPublishedText({ services }: World['server']): Promise<string> {
  const id = services.random.id();
  await sql`
    insert into wallet_connections (id, user_id, platform, namespace, address, scopes, signs_in_since, created_at)
    values (${id}, ${aliceId}, 'discord', 'evm', ${wallet.address}, '{$all}', now(), now())
    on conflict do nothing`.execute(services.db.system);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signature = await wallet.signMessage({ message: 'api.collab.land' });
  const body = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ address: wallet.address, signature })}`;
  return `Ethereum ${body}.${createHmac('sha256', 'api.collab.land').update(body).digest('base64url')}`;
}
