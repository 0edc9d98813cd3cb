import type { EvmWorld } from '@latchkey/chains/testing';
import type { DiscordEmulator } from '@latchkey/emulators/discord';
import type { Address } from 'viem';
import { keyRule } from '../gated-world.ts';
import { moveKey } from '../move-tokens.ts';
import type { ApiLoad } from './api-load.ts';
import type { Model, ModelGuild } from './model.ts';
import type { Action, ActionKind } from './schedule.ts';

/** The world that users act on. */
export interface Stage {
  chain: EvmWorld;
  discord: DiscordEmulator;
  model: Model;
  load: ApiLoad;
  /** The owner of each key. */
  keys: Map<number, Address>;
  /** What was done in this round, for debugging. */
  diary: string[];
}

function choose<Item>(items: readonly Item[], choice: number): Item {
  const item = items[choice % items.length];
  if (item === undefined) throw new Error('There is nothing to choose from.');
  return item;
}

const pathOf = ({ communityId }: ModelGuild) => encodeURIComponent(communityId);
const leastKeys = [1, 2, 3];

const acts: Record<ActionKind, (stage: Stage, action: Action) => Promise<void>> = {
  'move key': async ({ chain, model, keys, diary }, { choice, other }) => {
    const [keyId, from] = choose([...keys], choice);
    const members = model.guilds.flatMap((guild) => guild.members);
    const { address: to } = choose(members, other);
    await moveKey(chain, keyId, from, to);
    keys.set(keyId, to);
    await model.recount();
    diary.push(`key ${keyId} went from ${from} to ${to}`);
  },
  'leave or join': async ({ discord, model, diary }, { choice, other }) => {
    const guild = choose(model.guilds, choice);
    const { userId } = choose(guild.members, other);
    const isThere = discord.getGuild(guild.id).members.has(userId);
    if (isThere) discord.removeMember(guild.id, userId);
    else discord.addMember(guild.id, { id: userId });
    diary.push(`${userId} ${isThere ? 'left' : 'joined'} ${guild.communityId}`);
  },
  'change rule': async ({ chain, model, load, diary }, { choice, other }) => {
    const guild = choose(model.guilds, choice);
    const need = choose(guild.needs, other);
    const least = choose(leastKeys, choice + other);
    need.least.add(least);
    model.note();
    const id = `TPC#${chain.contracts.erc721}#${need.roleId}#${chain.chainId}`;
    await load.insist({
      method: 'PUT',
      path: `/communities/${pathOf(guild)}/tpcs/${encodeURIComponent(id)}`,
      json: { ...keyRule(chain, need.roleId), minToken: String(least) },
    });
    need.least = new Set([least]);
    model.note();
    diary.push(`role ${need.roleId} of ${guild.communityId} asks for ${least} keys`);
  },
  'ask for a check': async ({ model, load, diary }, { choice, other }) => {
    const guild = choose(model.guilds, choice);
    const { userId } = choose(guild.members, other);
    const path = `/latchkey/communities/${pathOf(guild)}/role-checks`;
    await load.insist({ method: 'POST', path, json: { userIds: [userId] } });
    diary.push(`a check of ${userId} in ${guild.communityId} was asked for`);
  },
};

export async function act(stage: Stage, action: Action): Promise<void> {
  const begun = new Date().toISOString();
  await acts[action.kind](stage, action);
  stage.diary.push(`${begun} to ${new Date().toISOString()}: ${stage.diary.pop()}`);
}

/** What the operator does after a node lied: requests a full re-check that trusts no stored data. */
export async function checkEverybody({ model, load }: Pick<Stage, 'load' | 'model'>): Promise<void> {
  for (const guild of model.guilds)
    await load.insist({ method: 'POST', path: `/latchkey/communities/${pathOf(guild)}/role-checks`, json: {} });
}
