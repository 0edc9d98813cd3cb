import { type EvmWorld, startEvmWorld } from '@latchkey/chains/testing';
import { communityKey, contextFor, createCommunity, createRule, type Services, userKey } from '@latchkey/core';
import { sql, tenantUrlOf } from '@latchkey/db';
import { type DiscordEmulator, startDiscordEmulator } from '@latchkey/emulators/discord';
import { type Address, getAddress } from 'viem';
import { type Composition, compose } from '../../src/compose/index.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import type { Environment } from './processes.ts';
import { patientDatabase } from './test-server.ts';

/** A development chain and a Discord emulator, whose guilds are gated by holdings on that chain. */
export interface GatedWorld extends AsyncDisposable {
  chain: EvmWorld;
  discord: DiscordEmulator;
  /** The settings with which a Latchkey reaches them. */
  environment: Environment;
}

export interface GatedGuild {
  /** Discord's own id. */
  id: string;
  /** The qualified id. */
  communityId: string;
  roleIds: readonly string[];
  members: readonly GatedMember[];
}

export interface GatedMember {
  userId: string;
  address: Address;
}

export type GuildRule = Parameters<typeof createRule>[1]['body'];

const wide = { limit: 1_000_000, windowSeconds: 1 };
/** For tests that are not about rate limits. */
export const wideLimits = {
  globalPerSecond: 1_000_000,
  buckets: { 'member-roles': wide, 'member-write': wide, 'member-read': wide, 'member-list': wide },
};

export async function startGatedWorld({ areLimitsWide = false } = {}): Promise<GatedWorld> {
  const chain = await startEvmWorld();
  const discord = await startDiscordEmulator({ answerWithinMs: 120_000, ...(areLimitsWide && { limits: wideLimits }) });
  return {
    chain,
    discord,
    environment: {
      LATCHKEY_MASTER_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
      LATCHKEY_DISCORD_BOT_TOKEN: discord.application.token,
      LATCHKEY_DISCORD_CLIENT_ID: discord.application.id,
      LATCHKEY_DISCORD_API_URL: discord.url,
      LATCHKEY_EVM_RPC_URLS: `${chain.chainId}=${chain.url}`,
      // No admin is there to approve held changes.
      LATCHKEY_HOLD_COUNT: '1000000',
      LATCHKEY_HOLD_PER_DAY: '1000000',
    },
    [Symbol.asyncDispose]: async () => void (await Promise.all([discord.stop(), chain.stop()])),
  };
}

/** Opens the platform in this process, on a migrated database. */
export async function openPlatform(
  databaseUrl: string,
  environment: Environment,
): Promise<Composition & { config: Config }> {
  const config = readConfig(environment);
  const composition = await compose({
    config,
    log: createLog({ logLevel: 'error', debugSettings: '' }),
    databaseUrl,
    tenantDatabaseUrl: tenantUrlOf(databaseUrl),
    baseUrl: 'http://localhost',
    smtpUrl: 'smtp://127.0.0.1:1',
    serverType: 'JobServer',
    discordCallsPerSecond: 1_000,
    databasePatience: patientDatabase,
  });
  return { ...composition, config };
}

/** Creates a guild with a bot, this many roles below it, and a member for each wallet. */
export function fillGuild(discord: DiscordEmulator, addresses: readonly Address[], roles = 1): GatedGuild {
  const guild = discord.createGuild({ name: 'Gated guild' });
  const roleIds = Array.from({ length: roles }, (_, n) => discord.createRole(guild.id, { name: `Role ${n}` }).id);
  const members = addresses.map((address) => ({ userId: discord.addMember(guild.id).user.id, address }));
  return { id: guild.id, communityId: communityKey('discord', guild.id), roleIds, members };
}

/**
 * Turns a guild into a community with rules, and links its members' wallets: without signatures, because they are many.
 */
export async function gateGuild(services: Services, guild: GatedGuild, rules: readonly GuildRule[]): Promise<void> {
  const ctx = contextFor(services, { kind: 'admin', name: 'test' });
  const ownerId = userKey('discord', '1');
  await createCommunity(ctx, { body: { platform: 'discord', communityId: guild.id, ownerId } });
  await giveWallets(services, guild);
  for (const body of rules) await createRule(ctx, { id: guild.communityId, body });
}

/** Links each member's wallet. */
export async function giveWallets(services: Services, { members }: Pick<GatedGuild, 'members'>): Promise<void> {
  const wallets = members.map(({ userId, address }) => ({
    user_id: userKey('discord', userId),
    address: getAddress(address),
  }));
  await sql`
    insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
    select w.user_id, w.user_id, 'discord', 'evm', w.address, now()
    from jsonb_to_recordset(${JSON.stringify(wallets)}::jsonb) as w (user_id text, address text)`.execute(
    services.db.system,
  );
}

/** Returns the rule that holders of a key get the role. */
export function keyRule({ chainId, contracts }: Pick<EvmWorld, 'chainId' | 'contracts'>, roleId: string): GuildRule {
  return { name: 'Key holders', type: 'ERC721', chainId, contractAddress: contracts.erc721, minToken: '1', roleId };
}

/** Returns the members who have a role on Discord. */
export function holdersOf(discord: DiscordEmulator, { id, members }: GatedGuild, roleId: string): GatedMember[] {
  const guild = discord.getGuild(id);
  return members.filter(({ userId }) => guild.members.get(userId)?.roles.has(roleId) === true);
}
