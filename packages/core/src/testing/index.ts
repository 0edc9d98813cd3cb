import { createHash } from 'node:crypto';
import { createKeyring, migrate, openDatabase, randomFrom, tenantUrlOf } from '@latchkey/db';
import { createTestDatabase } from '@latchkey/db/testing';
import type { Actor, Log, Random } from '@latchkey/kernel';
import type { EgressRequest, EgressResponse } from '../ports/index.ts';
import { type Context, contextFor, type Services } from '../shared/context.ts';
import type { SpendingSettings } from '../shared/settings.ts';
import { type MemoryHoldings, memoryHoldings } from './memory-holdings.ts';
import { type MemoryHost, memoryHost } from './memory-host.ts';
import { type MemoryTokenMetadata, memoryTokenMetadata } from './memory-token-metadata.ts';

export { Crash, crashing, crashingInside } from './crashing.ts';
export { type MemoryHoldings, memoryHoldings } from './memory-holdings.ts';
export { type MemoryHost, memoryHost } from './memory-host.ts';
export type { MemoryTokenMetadata } from './memory-token-metadata.ts';

/** Random bytes that are the same in every run with the same seed. */
export function seededRandom(seed: string): Random {
  let counter = 0;
  return randomFrom((length) => {
    const chunks: Buffer[] = [];
    for (let have = 0; have < length; have += 32)
      chunks.push(createHash('sha256').update(`${seed}:${counter++}`).digest());
    return Buffer.concat(chunks).subarray(0, length);
  });
}

/** A log that keeps its lines, so that a test can search them for what must not be there. */
export function memoryLog(): Log & { lines: string[] } {
  const lines: string[] = [];
  const write = (level: string) => (message: string, fields?: Record<string, unknown>) => {
    lines.push(JSON.stringify({ level, message, ...fields }));
  };
  const log = {
    lines,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    for: () => log,
  };
  return log;
}

/** A clock that stands still until a test advances it. */
export function testClock(start = '2026-01-15T12:00:00.000Z') {
  let now = new Date(start).getTime();
  const advanceSeconds = (seconds: number) => {
    now += seconds * 1000;
  };
  return { clock: () => new Date(now), advanceSeconds };
}

export interface TestPlatform extends AsyncDisposable {
  services: Services;
  /** The database as the platform's role opens it. */
  databaseUrl: string;
  as(actor: Actor): Context;
  log: ReturnType<typeof memoryLog>;
  mails: { to: string; subject: string; text: string }[];
  requests: EgressRequest[];
  /** What accounts hold, in memory; a test sets it and takes it away. */
  holdings: MemoryHoldings;
  /** What tokens say of themselves, in memory. */
  tokenMetadata: MemoryTokenMetadata;
  /** A chat platform in memory, which answers for Discord. */
  host: MemoryHost;
  /** Decides what the outside world answers; 204 unless set. */
  answer(fn: (request: EgressRequest) => Promise<EgressResponse> | EgressResponse): void;
  advanceSeconds(seconds: number): void;
  close(): Promise<void>;
}

/** What the test wallet signs with. */
export function testSignature(address: string, message: string): string {
  return `${address.toLowerCase()} signs ${message}`;
}

/** How long tests wait for the database: that it takes its time on a busy machine says nothing about the product. */
export const patienceMs = 120_000;

/** Every caller may have the test platform pay, with a budget above what any test needs. */
export const testSpending: SpendingSettings = {
  spenders: ['people', 'apps'],
  budgets: {
    'near:localnet': { total: 10n ** 29n, perCaller: 10n ** 28n },
    'evm:31337': { total: 10n ** 20n, perCaller: 10n ** 19n },
    'evm:31337/wallets': { total: 10n ** 20n, perCaller: 10n ** 19n },
  },
};

/** A platform on a real database of its own, with a still clock, seeded randomness and an outside world in memory. */
export async function testPlatform(seed = 'seed'): Promise<TestPlatform> {
  const database = await createTestDatabase({ migrate });
  const log = memoryLog();
  const random = seededRandom(seed);
  const { clock, advanceSeconds } = testClock();
  // Many tests ask fifty times at once, and all of them wait for these few connections.
  const db = openDatabase({
    url: database.url,
    tenantUrl: tenantUrlOf(database.url),
    log,
    maxConnections: 8,
    connectTimeoutMs: patienceMs,
    statementTimeoutMs: patienceMs,
  });
  const mails: TestPlatform['mails'] = [];
  const requests: EgressRequest[] = [];
  let respond: (request: EgressRequest) => Promise<EgressResponse> | EgressResponse = () => ({
    status: 204,
    headers: {},
    body: new Uint8Array(),
  });
  const holdings = memoryHoldings();
  const tokenMetadata = memoryTokenMetadata();
  const host = memoryHost('discord');
  const services: Services = {
    clock,
    random,
    log,
    db,
    keyring: createKeyring([{ id: 'test', key: random.bytes(32) }], random),
    settings: {
      baseUrl: 'http://latchkey.test',
      serviceName: 'Latchkey',
      discordClientId: '1000',
      walletChainId: 31337,
      spending: testSpending,
      nearIndex: 'localnet',
    },
    playgroundWorld: undefined,
    installation: { settings: [], mail: 'server', caughtMails: async () => undefined, endpoints: () => [] },
    mailer: { send: async (mail) => void mails.push(mail) },
    egress: {
      send: async (request) => {
        requests.push(request);
        return respond(request);
      },
    },
    // Replaces the chain adapter, which core does not know: one byte pattern per key is all that modules need.
    evmWallets: {
      createOwnerKey: (source) => {
        const privateKey = source.bytes(32);
        return { privateKey, address: `0x${Buffer.from(privateKey.subarray(0, 20)).toString('hex')}` };
      },
      safeAddress: (owner, saltNonce, chainId) =>
        `0x${createHash('sha256').update(`${owner}/${saltNonce}/${chainId}`).digest('hex').slice(0, 40)}`,
      personalSign: (key, text) => `0x${createHash('sha256').update(key).update(text).digest('hex')}`,
      isPersonalSignature: () => false,
    },
    evmDigests: {
      textDigest: (text) => createHash('sha256').update(text).digest(),
      typedDataDigest: async (json) => createHash('sha256').update(json).digest(),
    },
    // A wallet that anyone can use: its signature is the address and the message, so a test can sign and a mistake shows.
    wallets: {
      evm: {
        namespace: 'evm',
        normalizeAddress: (address) => (/^0x[0-9a-fA-F]{40}$/.test(address) ? address.toLowerCase() : undefined),
        verify: async ({ address, message, signature }) => {
          if (signature === 'no answer') return { kind: 'unknown', reason: 'The chain does not answer.' };
          if (signature === 'undecided')
            return { kind: 'unknown', reason: 'Nobody here can run the script.', isLasting: true };
          return signature === testSignature(address, message)
            ? { kind: 'valid', address: address.toLowerCase() }
            : { kind: 'invalid', reason: 'The signature is another one.' };
        },
      },
    },
    names: undefined,
    holdings,
    tokenMetadata,
    follower: {
      announces: () => false,
      start: async () => undefined,
      next: async () => ({ kind: 'waiting' }),
    },
    hosts: { discord: host },
    bots: {},
    identityProviders: {},
    x: undefined,
    discord: undefined,
    linkedRoles: undefined,
    reddit: undefined,
    telegram: undefined,
    marketplaces: {},
    tokenproof: undefined,
    near: undefined,
    cards: undefined,
    locks: undefined,
    snapshot: undefined,
    helpdesk: undefined,
    // The chain adapter signs for real; features only need to see which terms were signed.
    waitingList: {
      quoteFormat: { primaryType: 'Quote' },
      signerAddress: (key) => `0x${createHash('sha256').update(key).digest('hex').slice(0, 40)}`,
      signQuote: async (key, terms) =>
        `0x${createHash('sha256').update(key).update(Object.values(terms).join()).digest('hex')}`,
      readRegistered: async () => ({ kind: 'read', isRegistered: false }),
    },
    walletRegistry: undefined,
    safes: undefined,
    bus: {
      publish: async () => undefined,
      subscribe: () => () => undefined,
      onReconnect: () => () => undefined,
      ready: async () => undefined,
      close: async () => undefined,
    },
    process: { id: 'test-process', serverType: 'APIServer', serverSubType: 'test', hostName: 'test-host', pid: 1 },
    resources: [],
  };
  const close = async () => {
    await db.close();
    await database.drop();
  };
  return {
    services,
    databaseUrl: database.url,
    as: (actor) => contextFor(services, actor),
    log,
    mails,
    requests,
    holdings,
    tokenMetadata,
    host,
    answer: (fn) => {
      respond = fn;
    },
    advanceSeconds,
    close,
    [Symbol.asyncDispose]: close,
  };
}

export const alice: Actor = {
  kind: 'user',
  userId: 'DIS#USER#100',
  platform: 'discord',
  name: 'alice',
  scopes: ['$all'],
  credential: 'wallet-session',
};
export const mallory: Actor = {
  kind: 'user',
  userId: 'DIS#USER#666',
  platform: 'discord',
  name: 'mallory',
  scopes: ['$all'],
  credential: 'wallet-session',
};
export const operator: Actor = { kind: 'admin', name: 'operator' };
export const nobody: Actor = { kind: 'anonymous' };
