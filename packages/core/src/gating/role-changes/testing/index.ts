import { startWorker, type Worker } from '@latchkey/db';
import type { Actor } from '@latchkey/kernel';
import { enqueueReconcile } from '../../../communities/reconcile-queue/index.ts';
import type { MemberWrite, PlatformName } from '../../../ports/index.ts';
import { contextFor, type Services } from '../../../shared/context.ts';
import { communityKey, userKey } from '../../../shared/qualified-ids.ts';
import { type MemoryHoldings, type MemoryHost, patienceMs, type TestPlatform } from '../../../testing/index.ts';
import { writeWaiting } from '../applying/write-community.ts';
import { gatingJobs, reconcileCommunityJob } from '../jobs.ts';

export const token = '0x00000000000000000000000000000000000000aa';
export const chain = 'evm:1';

/** The owner of every community in these tests. */
export const admin: Extract<Actor, { kind: 'user' }> = {
  kind: 'user',
  userId: 'DIS#USER#1',
  platform: 'discord',
  scopes: ['$all'],
  credential: 'wallet-session',
};

function walletOf(nativeId: number): string {
  return `0x${nativeId.toString(16).padStart(40, '0')}`;
}

/** A version 1 rule: holders of `minToken` of a token get a role. */
export function erc20Rule(roleId: string, minToken = '1', contractAddress = token): Record<string, unknown> {
  return { type: 'ERC20', chainId: 1, contractAddress, minToken, roleId };
}

export interface Guild {
  id: string;
  guildId: string;
  /** Checks members and writes the changes, as the worker would. */
  resync(members?: readonly number[] | '*', cause?: 'schedule' | 'requested' | 'wallet'): Promise<void>;
  check(): Promise<void>;
  write(): Promise<void>;
  /** Members are numbered from 0. */
  idOf(member: number): string;
  nativeIdOf(member: number): string;
  walletOf(member: number): string;
  rolesOf(member: number): readonly string[] | undefined;
  hold(member: number, amount: string, contractAddress?: string): void;
  /** The write calls made to the platform in this guild. */
  writes(): MemberWrite[];
}

let guilds = 0;

/** Creates a community directly in the tables, with rules and members that no other test uses, each with one wallet. */
export async function setUpGuild(
  t: Pick<TestPlatform, 'services'> & { holdings: MemoryHoldings; host: MemoryHost },
  options: {
    members: number;
    rules?: readonly Record<string, unknown>[];
    roles?: (member: number) => readonly string[];
    withWallets?: boolean;
    platform?: PlatformName;
  },
): Promise<Guild> {
  guilds += 1;
  const guildId = String(5_000 + guilds);
  const { services, host, holdings } = t;
  const { platform: name = 'discord' } = options;
  const id = communityKey(name, guildId);
  host.addCommunity(guildId);
  const nativeId = (member: number) => firstUser + member;
  const firstUser = guilds * 1_000_000;
  const members = Array.from({ length: options.members }, (_, member) => member);
  for (const member of members) host.addMember(guildId, String(nativeId(member)), options.roles?.(member) ?? []);
  await insertCommunity(services, { id, name, guildId }, options.rules ?? [erc20Rule('gold')]);
  if (options.withWallets !== false) await insertWallets(services, name, members.map(nativeId));
  // Created on every call, since tests replace parts of the platform.
  const ctx = () => contextFor(services, { kind: 'system', job: 'test' });
  const check = () => reconcileCommunityJob(ctx(), id);
  const idOf = (member: number) => userKey(name, String(nativeId(member)));
  const write = () => writeWaiting(ctx(), id, new AbortController().signal);
  return {
    id,
    guildId,
    check,
    write,
    resync: async (wanted = '*', cause = 'schedule') => {
      const userIds = wanted === '*' ? wanted : wanted.map(idOf);
      await enqueueReconcile(services.db.system, { communityId: id, members: userIds, cause });
      await check();
      await write();
    },
    idOf,
    nativeIdOf: (member) => String(nativeId(member)),
    walletOf: (member) => walletOf(nativeId(member)),
    rolesOf: (member) => host.rolesOf(guildId, String(nativeId(member))),
    hold: (member, amount, reference = token) =>
      holdings.set({ chain, standard: 'erc20', reference, account: walletOf(nativeId(member)) }, amount),
    writes: () => host.writes.filter(({ communityId }) => communityId === guildId),
  };
}

async function insertCommunity(
  { db, clock }: Services,
  { id, name, guildId }: { id: string; name: PlatformName; guildId: string },
  rules: readonly Record<string, unknown>[],
): Promise<void> {
  const now = clock();
  await db.pool.query(
    `insert into communities (id, platform, community_id, name, status, owner_id, profile, disable_background_checks,
       created_at, updated_at)
     values ($1, $5, $2, 'Test', 'active', $3, '{}', false, $4, $4)`,
    [id, guildId, admin.userId, now, name],
  );
  await db.pool.query(
    `insert into community_rules (id, community_id, role_id, definition, created_at, updated_at)
     select 'TPC#' || n, $1, r ->> 'roleId', r, $3, $3 from jsonb_array_elements($2) with ordinality as e (r, n)`,
    [id, JSON.stringify(rules), now],
  );
}

async function insertWallets({ db, clock }: Services, name: PlatformName, nativeIds: readonly number[]): Promise<void> {
  await db.pool.query(
    `insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
     select 'w' || a, u, $4, 'evm', a, $3 from unnest($1::text[], $2::text[]) as w (u, a)
     on conflict do nothing`,
    [nativeIds.map((id) => userKey(name, String(id))), nativeIds.map(walletOf), clock(), name],
  );
}

/** Starts a worker in this process that runs the gating jobs. */
export function startTestWorker(t: Pick<TestPlatform, 'services'>): Worker {
  return startWorker({
    db: t.services.db,
    patienceMs,
    kinds: gatingJobs,
    log: t.services.log,
    random: t.services.random,
    makeContext: (kind) => contextFor(t.services, { kind: 'system', job: kind.name }),
    validate: () => undefined,
    concurrency: 4,
  });
}
