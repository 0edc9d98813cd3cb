import { type FaultProxy, someAddresses, startFaultProxy } from '@latchkey/chains/testing';
import { contextFor, createAdminKey } from '@latchkey/core';
import { migrate, tenantUrlOf } from '@latchkey/db';
import { createTestDatabase, queryOnce, type StandbyPair, startStandbyPair } from '@latchkey/db/testing';
import type { Address } from 'viem';
import type { Dice } from '../dice.ts';
import { fillGuild, type GatedWorld, gateGuild, keyRule, openPlatform, startGatedWorld } from '../gated-world.ts';
import { takeOver } from '../move-tokens.ts';
import type { Environment } from '../processes.ts';
import type { Stage } from './act.ts';
import { ApiLoad } from './api-load.ts';
import { type Crew, startCrew } from './crew.ts';
import { Model, type ModelGuild } from './model.ts';

export interface WorldSize {
  servers: number;
  workers: number;
  nodes: number;
  guilds: number;
  membersPerGuild: number;
  /** With a standby to fail over to, and disks that can be filled; otherwise on the shared test database. */
  hasPair: boolean;
}

/** A complete Latchkey, its external services, and its users. */
export interface ChaosWorld extends Stage, AsyncDisposable {
  crew: Crew;
  proxies: readonly FaultProxy[];
  pair?: StandbyPair;
  /** Queries the database, wherever it currently is. */
  query(text: string): Promise<Record<string, unknown>[]>;
}

const firstLeast = [1, 2];
/** A stalled node must have something to lag behind. */
const blocksBefore = 50;

export async function startChaosWorld(size: WorldSize, dice: Dice, seed: string): Promise<ChaosWorld> {
  await using stack = new AsyncDisposableStack();
  const { hasPair } = size;
  const pair = hasPair ? stack.use(await startStandbyPair(migrate, { onSmallDisks: true })) : undefined;
  const single = hasPair ? undefined : await createTestDatabase({ name: 'chaos', migrate: true });
  stack.defer(async () => single?.drop());
  const gated = stack.use(await startGatedWorld({ areLimitsWide: true }));
  const { chain, discord } = gated;
  const proxies: FaultProxy[] = [];
  for (let node = 0; node < size.nodes; node += 1) {
    const proxy = await startFaultProxy(chain.url, `${seed} node ${node}`);
    stack.defer(() => proxy.stop());
    proxies.push(proxy);
  }
  const url = pair?.url ?? single?.url ?? '';
  const environment: Environment = {
    ...gated.environment,
    DATABASE_URL: url,
    LATCHKEY_TENANT_DATABASE_URL: tenantUrlOf(url),
    LATCHKEY_EVM_RPC_URLS: proxies.map((proxy) => `${chain.chainId}=${proxy.url}`).join(' '),
    LATCHKEY_FOLLOW_PAUSE_MS: '100',
    LATCHKEY_ANONYMOUS_RATE: '1000000/1',
    LATCHKEY_DATABASE_CONNECTIONS: '6',
  };
  const keys = new Map<number, Address>();
  const { guilds, key } = await settle(pair?.primary.url ?? url, gated, size, dice, keys);
  const crew = stack.use(await startCrew(size, environment));
  const contract = `${chain.chainId}/${chain.contracts.erc721}`;
  const load = stack.use(new ApiLoad(crew.servers, { key, contract }));
  await load.insist({ method: 'POST', path: `/nft-contracts/${contract}`, json: { name: 'Keys' } });
  const model = new Model(chain, discord, guilds);
  await model.recount();
  const all = stack.move();
  return {
    chain,
    discord,
    model,
    load,
    keys,
    diary: [],
    crew,
    proxies,
    ...(pair !== undefined && { pair }),
    query: (text) => queryOnce(pair?.primary.url ?? single?.adminUrl ?? '', text),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Creates guilds with two roles each, members with wallets, and a key for half of them. */
async function settle(
  databaseUrl: string,
  { chain, discord, environment }: GatedWorld,
  size: WorldSize,
  dice: Dice,
  keys: Map<number, Address>,
): Promise<{ guilds: ModelGuild[]; key: string }> {
  const { services, close } = await openPlatform(databaseUrl, environment);
  try {
    const { key } = await createAdminKey(contextFor(services, { kind: 'admin', name: 'test' }), 'test');
    const guilds: ModelGuild[] = [];
    for (let at = 0; at < size.guilds; at += 1) {
      const addresses = someAddresses(size.membersPerGuild, at * size.membersPerGuild);
      await takeOver(chain, addresses);
      const guild = fillGuild(discord, addresses, firstLeast.length);
      const needs = guild.roleIds.map((roleId, index) => ({ roleId, least: new Set([firstLeast[index] ?? 1]) }));
      const rules = needs.map(({ roleId, least }) => ({
        ...keyRule(chain, roleId),
        minToken: [...least].join(),
      }));
      await gateGuild(services, guild, rules);
      guilds.push({ ...guild, needs });
    }
    const members = guilds.flatMap((guild) => guild.members);
    const owners = members.map(() => dice.pick(members).address);
    await chain.mintKeys(owners);
    for (const [index, owner] of owners.entries()) keys.set(index + 1, owner);
    await chain.client.mine({ blocks: blocksBefore });
    return { guilds, key };
  } finally {
    await close();
  }
}
