import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { AppError, observed } from '@latchkey/kernel';
import { type MemoryHoldings, memoryLog } from '../testing/index.ts';
import * as chain from './chain-guards.ts';
import { guardPort, type MethodGuard } from './guard.ts';
import * as partner from './partner-guards.ts';
import * as platform from './platform-guards.ts';
import { emptyAnswers, type Fault, faults } from './testing/faults.ts';

/** The guard of each port, by the name of its interface. */
const guards: Readonly<Record<string, object>> = {
  WalletNamespace: chain.walletGuard,
  NameService: chain.nameGuard,
  HoldingsReader: chain.holdingsGuard,
  ChainFollower: chain.followerGuard,
  TokenMetadataReader: chain.metadataGuard,
  WaitingListChain: chain.waitingListGuard,
  EvmWallets: chain.evmWalletsGuard,
  EvmDigests: chain.digestGuard,
  Locks: chain.lockGuard,
  WalletRegistry: chain.registryGuard,
  Safes: chain.safesGuard,
  Near: chain.nearGuard,
  RoleHost: platform.hostGuard,
  RedirectIdentityProvider: platform.redirectGuard,
  ChatIdentityProvider: platform.chatIdentityGuard,
  MessageIdentityProvider: platform.messageIdentityGuard,
  ChatBot: platform.chatBotGuard,
  DiscordApi: platform.discordGuard,
  LinkedRoles: platform.linkedRolesGuard,
  RedditApi: platform.redditGuard,
  RedditConsent: platform.redditConsentGuard,
  TelegramApi: platform.telegramGuard,
  Egress: partner.egressGuard,
  Mailer: partner.mailerGuard,
  Marketplace: partner.marketplaceGuard,
  Tokenproof: partner.tokenproofGuard,
  SnapshotHub: partner.snapshotGuard,
  Helpdesk: partner.helpdeskGuard,
  CardPayments: partner.cardsGuard,
};

/** Interfaces with methods that no decision about a user depends on. */
const unguarded: Readonly<Record<string, string>> = {
  PlaygroundWorld: 'is part of the emulators in this process, for readers of the guides',
  DiscordGateway: 'tells what happened, and is opened again when it fails',
  ShardOptions: 'is handed to the gateway',
  ChatListener: 'is handed to the bot',
  OpenShard: 'is answered by the gateway',
  NearBlocks: 'is read by the index of NEAR, which tries again where it stopped',
  TelegramSessions: 'is kept in the database',
  KeptTelegramSession: 'is kept in the database',
  DevvitDesk: 'is kept in the database',
  Installation: 'shows the operator how this process was set up',
  EvmKeys: 'is held by the signer alone, which signs or answers that it failed',
  EvmSignatures: 'is asked by the Ethereum header, which guards the question itself',
};

/** What these return for something missing cannot be distinguished from garbage. */
const saysNothing: Readonly<Record<string, readonly string[]>> = {
  'answers undefined': [
    'WalletNamespace.normalizeAddress',
    'MessageIdentityProvider.readAccount',
    'ChainFollower.start',
    'EvmDigests.typedDataDigest',
    'Locks.keyUntil',
    'WalletRegistry.findClaim',
    'Near.findAccount',
    'Near.attach',
    'Near.readSigned',
    'RoleHost.readMember',
    'RoleHost.findOwner',
    'DiscordApi.readMember',
    'DiscordApi.personalInviteState',
    'DiscordApi.readBot',
    'DiscordApi.editMessage',
    'DiscordApi.editFollowUp',
    'DiscordApi.readFollowUp',
    'RedditApi.identify',
    'TelegramApi.readLinkedChat',
    'CardPayments.mailboxOf',
    'CardPayments.subscription',
    'CardPayments.checkout',
    'CardPayments.invoice',
    'CardPayments.charge',
    'CardPayments.readEvent',
  ],
  'answers an empty object': ['CardPayments.invoice'],
  'answers another kind': ['CardPayments.invoice'],
  'answers an empty list': [
    'Near.keysOf',
    'RoleHost.readLeftRoles',
    'RoleHost.readRoles',
    'RoleHost.findFaults',
    'RoleHost.checkSetup',
    'RoleHost.settle',
    'DiscordApi.readRoles',
    'DiscordApi.readInvites',
    'DiscordApi.readChannelInvites',
    'DiscordApi.readIntegrations',
    'DiscordApi.readChannels',
    'DiscordApi.readMembers',
    'RedditApi.readUnread',
    'TelegramApi.missingRights',
    'Helpdesk.list',
  ],
};

/** The results of these are ignored: only that they return matters. */
const returnsNothing = [
  'WalletRegistry.send',
  'Safes.rehearse',
  'Safes.send',
  'DiscordApi.moveRole',
  'DiscordApi.respond',
  'DiscordApi.setCommands',
  'DiscordApi.setGuildCommands',
  'LinkedRoles.send',
  'LinkedRoles.revoke',
  'LinkedRoles.register',
  'TelegramApi.revokeInvite',
  'RedditApi.continueModmail',
  'RedditApi.reply',
  'RedditApi.markRead',
  'RedditConsent.revoke',
  'TelegramApi.send',
  'TelegramApi.pin',
  'TelegramApi.endPress',
  'TelegramApi.setCommands',
  'ChatBot.leave',
  'Mailer.send',
  'Mailer.tryOut',
  'CardPayments.forgetCustomer',
  'CardPayments.cancel',
  'CardPayments.resume',
  'CardPayments.end',
];
/** The first refuses unencodable input with its own error, and makes no call. The second runs until it is stopped. */
const passesErrors = ['Safes.encodeTransfer', 'ChatBot.listen'];

const portsFolder = join(import.meta.dirname, '../ports');

/** Returns the interfaces in the folder of ports that have methods, with the names of those. */
function readPorts(): Map<string, string[]> {
  const ports = new Map<string, string[]>();
  for (const file of readdirSync(portsFolder).filter((name) => name.endsWith('.ts'))) {
    const source = readFileSync(join(portsFolder, file), 'utf8');
    for (const [, name = '', body = ''] of source.matchAll(/^export interface (\w+)[^{]*\{\n(.*?)^\}/gms)) {
      const methods = [...body.matchAll(/^ {2}(\w+)\??(?:<\w+>)?\(/gm)].map(([, method = '']) => method);
      if (methods.length > 0) ports.set(name, methods);
    }
  }
  return ports;
}

const limits = { questionMs: 5, batchMs: 5 };
/** Two of everything, so that ordered results have a length. */
const args = [['one', 'two'], ['one', 'two'], { signal: undefined }];

const isFailure = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 && value.every(isFailure) : ['unknown', 'failed'].includes(kindOf(value));
const kindOf = (value: unknown) => String((value as { kind?: unknown } | null | undefined)?.kind);

/** Returns what a guarded method makes of a fault: a result, or what it threw. */
async function callFaulty(
  guard: object,
  method: string,
  fault: Fault,
): Promise<{ answer: unknown } | { thrown: unknown }> {
  const options = { name: 'test', log: memoryLog(), limits };
  const port = guardPort({ [method]: fault.method }, { [method]: Reflect.get(guard, method) as MethodGuard }, options);
  try {
    const given: unknown = Reflect.apply(Reflect.get(port, method) as () => unknown, port, args);
    if (typeof given !== 'object' || given === null || !(Symbol.asyncIterator in given)) return { answer: await given };
    const pages: unknown[] = [];
    for await (const page of given as AsyncIterable<unknown>) pages.push(page);
    return { answer: pages };
  } catch (thrown) {
    return { thrown };
  }
}

/** The errors with which ports and modules report that something is unknown for now. */
const isUnavailable = (error: unknown): boolean =>
  error instanceof AppError
    ? error.code === 'UNAVAILABLE'
    : error instanceof Error &&
      !['AbortError', 'TypeError'].includes(error.name) &&
      /could not be (reached|read|sent|signed|computed)/.test(error.message) &&
      (!('kind' in error) || error.kind === 'unavailable' || error.kind === 'protocol');

describe('a port that fails', () => {
  it('is guarded, or is listed here with the reason why not', () => {
    const ports = readPorts();
    assert.ok(ports.size > 30);
    for (const [port, methods] of ports) {
      if (port in unguarded) continue;
      assert.deepEqual(Object.keys(guards[port] ?? {}).toSorted(), methods.toSorted(), port);
    }
    for (const port of [...Object.keys(guards), ...Object.keys(unguarded)]) assert.ok(ports.has(port), port);
  });

  for (const [port, guard] of Object.entries(guards)) {
    it(`surfaces as its declared failure: ${port}`, async () => {
      for (const method of Object.keys(guard)) {
        const name = `${port}.${method}`;
        for (const fault of [...faults, ...emptyAnswers]) {
          if (passesErrors.includes(name) || saysNothing[fault.name]?.includes(name)) continue;
          if (returnsNothing.includes(name) && fault.name.startsWith('answers')) continue;
          const outcome = await callFaulty(guard, method, fault);
          // A failed start is retried.
          if (name === 'ChainFollower.start') assert.deepEqual(outcome, { answer: undefined });
          else if ('answer' in outcome)
            assert.ok(isFailure(outcome.answer), `${name} ${fault.name}: ${JSON.stringify(outcome)}`);
          else assert.ok(isUnavailable(outcome.thrown), `${name} ${fault.name}: ${String(outcome.thrown)}`);
        }
      }
    });
  }

  it('is counted and logged, without a node’s URL', async () => {
    const notified: unknown[] = [];
    const stop = observed.dependencyFailure.listen((failure) => void notified.push(failure));
    const log = memoryLog();
    const failing = {
      namespace: 'evm',
      normalizeAddress: () => undefined,
      verify: async () => {
        throw new Error('HTTP request failed. URL: https://node.test/v2/secret-key');
      },
    };
    const options = { name: 'wallets.evm', log, limits };
    await guardPort(failing, chain.walletGuard, options).verify({
      chain: '1',
      address: '',
      message: '',
      signature: '',
    });
    const unknown = async () => ({ kind: 'unknown' as const, reason: 'The node is down.' });
    await guardPort({ ...failing, verify: unknown }, chain.walletGuard, options).verify({
      chain: '1',
      address: '',
      message: '',
      signature: '',
    });
    stop();
    assert.deepEqual(notified, [
      { dependency: 'wallets.evm', kind: 'error' },
      { dependency: 'wallets.evm', kind: 'unknown' },
    ]);
    assert.equal(log.lines.length, 1);
    assert.match(log.lines[0] ?? '', /A dependency failed.*wallets\.evm.*verify/);
    assert.doesNotMatch(log.lines[0] ?? '', /secret-key/);
  });

  it('affects only the unreadable results', async () => {
    const good = { kind: 'read', amount: '1' } as const;
    const answers = [
      good,
      undefined,
      { kind: 'read' },
      { kind: 'read', amount: 'NaN' },
      { kind: 'unknown', reason: 'Down.' },
    ];
    const reader = { reads: () => true, read: async () => answers } as unknown as MemoryHoldings;
    const guarded = guardPort(reader, chain.holdingsGuard as never, { name: 'holdings', log: memoryLog(), limits });
    const questions = answers.map(() => ({
      chain: 'evm:1',
      standard: 'erc20',
      reference: '',
      account: '',
      needs: 'amount' as const,
    }));
    const read = await guarded.read(questions);
    assert.deepEqual(
      read.map(({ kind }) => kind),
      ['read', 'unknown', 'unknown', 'unknown', 'unknown'],
    );
  });

  it('fails between pages with its declared error, and earlier pages stay valid', async () => {
    const member = { userId: '1', roleIds: [] };
    async function* pages() {
      yield [member];
      yield [{ ...member, userId: 7 }] as never;
    }
    const host = { readMembers: pages };
    const options = { name: 'hosts.discord', log: memoryLog(), limits };
    const guarded = guardPort(host, { readMembers: platform.hostGuard.readMembers as never }, options);
    const seen: unknown[] = [];
    await assert.rejects(async () => {
      for await (const page of guarded.readMembers()) seen.push(page);
    }, /could not be reached/);
    assert.deepEqual(seen, [[member]]);
  });
});
