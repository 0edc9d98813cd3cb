import { enqueue, hashSecret } from '@latchkey/db';
import { type Actor, AppError, addSeconds, notSetUp } from '@latchkey/kernel';
import { createCommunity } from '../../communities/community/index.ts';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import { putPolicy } from '../../gating/approval-policies/index.ts';
import { createRule, refuseBadReplacement, replaceRule } from '../../gating/community-rules/index.ts';
import { enqueueUser } from '../../gating/followers/index.ts';
import {
  approveChangeSet,
  type ChangeSetRow,
  listChangeSets,
  rejectAndRestore,
  undoChangeSet,
} from '../../gating/role-changes/index.ts';
import { createLinkChallenge } from '../../identity/wallets/index.ts';
import { linkWallet } from '../../linking/wallet-links/index.ts';
import type { PlaygroundGuild, PlaygroundSeat, PlaygroundWorld } from '../../ports/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';
import { canUndo, describePlayground } from './describe.ts';
import { removeEndedPlaygrounds } from './jobs.ts';
import { expire, findPlayground, insertPlayground, lockAndCount, type PlaygroundRow, setGuild } from './queries.ts';
import { collectorRule, type RuleChoice, ruleOf } from './rules.ts';
import type { OpenedPlayground, Playground, PlaygroundAction } from './shapes.ts';

export const lifeSeconds = 30 * 60;
/** How many run at a time, in all and for one address. */
export const mostInAll = 20;
export const mostOfAddress = 5;

const keyLength = 32;

/** Creates a community for one reader, with members, rules and linked wallets. Its roles follow from the rules. */
export async function openPlayground(ctx: Context): Promise<OpenedPlayground> {
  const world = requireWorld(ctx);
  const key = ctx.random.id(keyLength);
  const row = await reserve(ctx, key);
  try {
    const guild = await world.open(ctx.random.id(keyLength));
    const accounts = guild.members.map(({ userId }) => userKey('discord', userId));
    // Before anything else is stored, so that it is removed in any case.
    await setGuild(ctx.db.system, row.key_hash, { guildId: guild.guildId, accounts });
    await fill(ctx, world, guild);
    return { key, playground: await describePlayground(ctx, { world, guild, expiresAt: row.expires_at }) };
  } catch (error) {
    await endSoon(ctx, row);
    throw error;
  }
}

async function reserve(ctx: Context, key: string): Promise<PlaygroundRow> {
  const now = ctx.clock();
  const row: PlaygroundRow = {
    key_hash: hashSecret(key),
    address_hash: hashSecret(ctx.origin?.address ?? ''),
    guild_id: null,
    accounts: [],
    created_at: now,
    expires_at: addSeconds(now, lifeSeconds),
  };
  await ctx.db.transaction('system', async (tx) => {
    const { total, ofAddress } = await lockAndCount(tx, row.address_hash, now);
    if (ofAddress >= mostOfAddress) throw tooMany(`You have ${ofAddress} sample communities open.`);
    if (total >= mostInAll) throw tooMany(`${total} sample communities are open on this server.`);
    await insertPlayground(tx, row);
  });
  return row;
}

function tooMany(what: string): AppError {
  const message = `${what} End one of them, or try again later: each ends after ${lifeSeconds / 60} minutes.`;
  return new AppError('RATE_LIMITED', message, { retryAfterSeconds: 60 });
}

/** Wallets before rules, so that the first check of the members grants all roles. */
async function fill(ctx: Context, world: PlaygroundWorld, guild: PlaygroundGuild): Promise<void> {
  const owner = ownerOf(ctx, guild);
  const id = communityKey('discord', guild.guildId);
  await createCommunity(owner, {
    body: { platform: 'discord', communityId: guild.guildId, name: 'Your sample community' },
  });
  // A reader sees an approval with few members, and selling one key needs none.
  await ctx.db.transaction('system', (tx) =>
    putPolicy(tx, id, { removalPercent: 25, removalCount: 2, approvers: 1, roles: [] }),
  );
  const [, ...others] = guild.members;
  for (const seat of others) await linkSeat(ctx, world, guild, seat);
  await createRule(owner, { id, body: ruleOf('one-key', guild) });
  await createRule(owner, { id, body: collectorRule(guild) });
}

/** Links a member's wallet as its owner would: requests the message, signs it and submits it. */
async function linkSeat(
  ctx: Context,
  world: PlaygroundWorld,
  { guildId, tokens }: PlaygroundGuild,
  { userId, name, address }: PlaygroundSeat,
): Promise<void> {
  const member = contextFor(ctx, personOf(userId, name));
  const message = await createLinkChallenge(member);
  const signature = await world.sign(guildId, userId, message);
  const link = { namespace: 'evm', chain: String(tokens.chainId), address, message, signature };
  await linkWallet(member, link, (tx, account) => enqueueUser(tx, account, 'wallet'));
}

function ownerOf(ctx: Context, { ownerId }: PlaygroundGuild): Context {
  return contextFor(ctx, personOf(ownerId, 'owner'));
}

/** A user of the Discord emulator, as if signed in. */
function personOf(userId: string, name: string): Actor {
  return {
    kind: 'user',
    userId: userKey('discord', userId),
    platform: 'discord',
    name,
    scopes: ['$all'],
    credential: 'operator-token',
  };
}

/** Returns the playground of this key. */
export async function readPlayground(ctx: Context, { body: { key } }: { body: { key: string } }): Promise<Playground> {
  const { world, guild, row } = await getOpen(ctx, key);
  return describePlayground(ctx, { world, guild, expiresAt: row.expires_at });
}

export interface ActionRequest {
  key: string;
  action: PlaygroundAction;
  rule?: RuleChoice | undefined;
}

/** Does what a reader asks for, and returns the playground right after it: roles follow later. */
export async function actInPlayground(ctx: Context, { body }: { body: ActionRequest }): Promise<Playground> {
  const open = await getOpen(ctx, body.key);
  await act(ctx, open, body);
  const shown = await describePlayground(ctx, { ...open, expiresAt: open.row.expires_at });
  if (body.action !== 'end') return shown;
  await endSoon(ctx, open.row);
  return { ...shown, expiresTime: ctx.clock().toISOString() };
}

async function act(
  ctx: Context,
  { world, guild }: OpenPlayground,
  { action, rule = 'three-keys' }: ActionRequest,
): Promise<void> {
  const owner = ownerOf(ctx, guild);
  const id = communityKey('discord', guild.guildId);
  const [you] = guild.members;
  if (you === undefined) throw ended();
  switch (action) {
    case 'link-wallet':
      return linkSeat(ctx, world, guild, you);
    case 'sell-token':
    case 'buy-token': {
      const side = action === 'sell-token' ? 'sell' : 'buy';
      if (await world.trade(guild.guildId, you.userId, side)) return;
      throw conflict(side === 'sell' ? 'Your wallet holds no KEY to sell.' : 'You have sold no KEY to buy back.');
    }
    case 'edit-rule': {
      const rules = await selectRules(ctx.db.system, id);
      const tpcId = rules.find(({ role_id }) => role_id === guild.roles.holder)?.id ?? '';
      const body = ruleOf(rule, guild);
      await refuseBadReplacement(owner, { id, tpcId, body });
      return replaceRule(owner, { id, tpcId, body });
    }
    case 'approve':
    case 'reject': {
      const held = await newestChangeSet(owner, id, ({ status }) => status === 'held');
      if (held === undefined) throw conflict('No change set waits for approval.');
      return action === 'approve' ? approveChangeSet(owner, held.id) : rejectAndRestore(owner, held.id);
    }
    case 'undo': {
      const done = await newestChangeSet(owner, id, canUndo);
      if (done === undefined) throw conflict('There is no approved change set to undo.');
      await undoChangeSet(owner, done.id);
      return;
    }
    case 'end':
  }
}

async function newestChangeSet(
  owner: Context,
  communityId: string,
  fits: (row: ChangeSetRow) => boolean,
): Promise<ChangeSetRow | undefined> {
  const { items } = await listChangeSets(owner, communityId);
  return items.find(fits);
}

function conflict(message: string): AppError {
  return new AppError('STATE_CONFLICT', message);
}

/** It is over for its reader at once. What it left is removed by a job, which tries again where the community is in use. */
async function endSoon(ctx: Context, { key_hash: keyHash }: PlaygroundRow): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    await expire(tx, keyHash, ctx.clock());
    await enqueue(tx, removeEndedPlaygrounds, {}, { uniqueKey: 'all' });
  });
}

interface OpenPlayground {
  world: PlaygroundWorld;
  guild: PlaygroundGuild;
  row: PlaygroundRow;
}

async function getOpen(ctx: Context, key: string): Promise<OpenPlayground> {
  const world = requireWorld(ctx);
  const row = await findPlayground(ctx.db.system, hashSecret(key), ctx.clock());
  const guild = row?.guild_id == null ? undefined : world.find(row.guild_id);
  const isThere =
    guild !== undefined && (await selectCommunity(ctx.db.system, communityKey('discord', guild.guildId))) !== undefined;
  if (row === undefined || guild === undefined || !isThere) throw ended();
  return { world, guild, row };
}

/** The same for a key that never existed, so that keys cannot be probed. */
function ended(): AppError {
  return new AppError('ENTITY_NOT_FOUND', 'This sample community has ended. Start again with a new one.');
}

function requireWorld({ playgroundWorld }: Pick<Context, 'playgroundWorld'>): PlaygroundWorld {
  if (playgroundWorld !== undefined) return playgroundWorld;
  throw notSetUp(
    'This server runs without the sample world, so nothing can be tried out here. Run `npm start` on your machine.',
  );
}
