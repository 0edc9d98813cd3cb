import type { EvmWorld } from '@latchkey/chains/testing';
import type { DiscordEmulator } from '@latchkey/emulators/discord';
import type { Address } from 'viem';
import type { GatedGuild, GatedMember } from '../gated-world.ts';
import { countKeys } from '../move-tokens.ts';

/** What a guild's role requires: this many keys. Two numbers while a change is in progress. */
interface Need {
  roleId: string;
  least: Set<number>;
}

export interface ModelGuild extends GatedGuild {
  needs: readonly Need[];
}

const rolesChanged = 25;
const botChanges: Readonly<Record<string, string>> = { $add: 'given', $remove: 'taken' };

/**
 * Computes which roles every member qualifies for according to the chain, and checks whether that explains the bot's
 * writes.
 */
export class Model {
  readonly guilds: readonly ModelGuild[];
  readonly #chain: EvmWorld;
  readonly #discord: DiscordEmulator;
  #keys = new Map<Address, bigint>();
  /** Members who did not qualify for a role at some moment since the last quiet state. */
  #didNot = new Set<string>();
  /** The most keys that each had since then, and the fewest that each role required. */
  #mostKeys = new Map<Address, bigint>();
  #fewest = new Map<string, number>();
  #checkedUpTo = new Map<string, bigint>();
  readonly counts = { given: 0, taken: 0 };

  constructor(chain: EvmWorld, discord: DiscordEmulator, guilds: readonly ModelGuild[]) {
    this.#chain = chain;
    this.#discord = discord;
    this.guilds = guilds;
  }

  /** Reads the chain after something changed. */
  async recount(): Promise<void> {
    const accounts = this.guilds.flatMap(({ members }) => members.map(({ address }) => address));
    const counted = await countKeys(this.#chain, accounts);
    this.#keys = new Map(accounts.map((account, at) => [account, counted[at] ?? 0n]));
    this.note();
  }

  /** Records the current state. */
  note(): void {
    for (const [address, keys] of this.#keys)
      if (keys > (this.#mostKeys.get(address) ?? -1n)) this.#mostKeys.set(address, keys);
    for (const guild of this.guilds)
      for (const { roleId, least } of guild.needs) {
        this.#fewest.set(roleId, Math.min(this.#fewest.get(roleId) ?? Number.POSITIVE_INFINITY, ...least));
        for (const { userId, address } of guild.members)
          if ((this.#keys.get(address) ?? 0n) < Math.max(...least)) this.#didNot.add(keyOf(guild, userId, roleId));
      }
  }

  /**
   * A removal needs a moment at which the member did not qualify: holdings are read again before it. A role may be
   * granted because of a holding whose loss is not known yet, or of a newer rule.
   */
  #isExplained(what: string | undefined, guild: ModelGuild, userId: string, roleId: string): boolean {
    if (what === 'taken') return this.#didNot.has(keyOf(guild, userId, roleId));
    const address = guild.members.find((member) => member.userId === userId)?.address ?? '0x';
    return (this.#mostKeys.get(address) ?? 0n) >= (this.#fewest.get(roleId) ?? Number.POSITIVE_INFINITY);
  }

  #deserved(guild: ModelGuild, { address }: GatedMember): string[] {
    const keys = this.#keys.get(address) ?? 0n;
    return guild.needs.filter(({ least }) => keys >= Math.max(...least)).map(({ roleId }) => roleId);
  }

  /** Returns every member whose roles differ from the model. */
  differences(): string[] {
    return this.guilds.flatMap((guild) => {
      const { members } = this.#discord.getGuild(guild.id);
      return guild.members.flatMap((member) => {
        const present = members.get(member.userId);
        if (present === undefined) return [];
        const has = guild.roleIds.filter((roleId) => present.roles.has(roleId)).sort();
        const deserves = this.#deserved(guild, member).sort();
        if (has.join() === deserves.join()) return [];
        return [`${guild.communityId} ${member.userId} ${member.address} has [${has}] and deserves [${deserves}]`];
      });
    });
  }

  /** Returns what the bot wrote since the last call without an explanation. From now on, only later events count. */
  checkWrites(): string[] {
    const wrong = this.guilds.flatMap((guild) => this.#unjustified(guild));
    this.#didNot = new Set();
    this.#mostKeys = new Map();
    this.#fewest = new Map();
    this.note();
    return wrong;
  }

  #unjustified(guild: ModelGuild): string[] {
    const { audit } = this.#discord.getGuild(guild.id);
    const after = this.#checkedUpTo.get(guild.id) ?? 0n;
    const entries = audit.filter(({ id, action }) => BigInt(id) > after && action === rolesChanged);
    this.#checkedUpTo.set(guild.id, BigInt(entries.at(-1)?.id ?? after));
    const ruled = new Set(guild.roleIds);
    return entries.flatMap(({ targetId, changes = [], reason }) =>
      changes.flatMap((change) => {
        const { key, new_value } = Object(change);
        const what = botChanges[key];
        const roleIds: string[] = Array.isArray(new_value) ? new_value.map((role) => String(Object(role).id)) : [];
        return roleIds
          .filter((roleId) => ruled.has(roleId))
          .flatMap((roleId) => {
            if (what === 'given') this.counts.given += 1;
            if (what === 'taken') this.counts.taken += 1;
            if (this.#isExplained(what, guild, targetId, roleId)) return [];
            const { address = '0x' } = guild.members.find(({ userId }) => userId === targetId) ?? {};
            const who = `member ${targetId} (${address}, ${this.#keys.get(address)} keys)`;
            return [`${guild.communityId}: role ${roleId} was ${what} wrongly, ${who}: ${reason ?? ''}`];
          });
      }),
    );
  }
}

function keyOf(guild: ModelGuild, userId: string, roleId: string): string {
  return `${guild.id} ${userId} ${roleId}`;
}
