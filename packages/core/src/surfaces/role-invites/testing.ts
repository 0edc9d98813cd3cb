import { addGuild, type DiscordPlatform, discordUser } from '../../communities/discord-guilds/testing.ts';
import { createRule } from '../../gating/community-rules/index.ts';
import { PlatformFailed } from '../../ports/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { takeDiscordEvent } from '../discord-interactions/index.ts';
import { checkInvite } from './check.ts';
import { claimDueInvites } from './jobs.ts';
import { createMyRoleInvite, getMyRoleInvite, turnOnRoleInvites } from './operations.ts';

let people = 0;
let contracts = 0;

/** Discord's limits follow the clock of the test, so none may matter. */
export function widen({ emulator }: DiscordPlatform): void {
  for (const name of ['other', 'invite-write'] as const)
    emulator.limits.buckets[name] = { limit: 1_000_000, windowSeconds: 1 };
}

/** Discord creates the next invites, and the responses are lost. Returns a function that ends this. */
export function loseResponses({ services: { discord } }: DiscordPlatform): () => void {
  if (discord === undefined) throw new Error('There is no Discord.');
  const { createPersonalInvite } = discord;
  discord.createPersonalInvite = async (...given) => {
    await createPersonalInvite(...given);
    throw new PlatformFailed('unavailable', 'Discord did not respond.');
  };
  return () => {
    discord.createPersonalInvite = createPersonalInvite;
  };
}

/** A server with two gated roles that offers role invites, unless `isOff`. */
export async function openServer(d: DiscordPlatform, { isOff = false } = {}) {
  const guild = await addGuild(d);
  const { emulator, services } = d;
  const { id, guildId, owner } = guild;
  const contractOf = [guild.holder, guild.whale].map((roleId) => {
    contracts += 1;
    return { roleId, reference: `0x${(0xee000000 + contracts).toString(16).padStart(40, '0')}` };
  });
  const ruleIds = new Map<string, string>();
  for (const { roleId, reference } of contractOf) {
    const body = { type: 'ERC20', chainId: 1, contractAddress: reference, roleId };
    ruleIds.set(roleId, (await createRule(d.as(owner), { id, body })).sk ?? '');
  }
  const own = emulator.getGuild(guildId);
  const botRole = [...own.roles.values()].find(({ botId }) => botId !== undefined)?.id ?? '';
  emulator.moveRole(guildId, botRole, 9);
  const channelId = own.channels.keys().next().value ?? '';
  const allow = ['VIEW_CHANNEL', 'CREATE_INSTANT_INVITE', 'MANAGE_CHANNELS'] as const;
  emulator.setOverwrite(channelId, { userId: emulator.application.bot.id }, { allow });
  if (!isOff) await turnOnRoleInvites(d.as(owner), { communityId: id, body: { channelId } });
  const system = (db = services.db): Context => contextFor({ ...services, db }, { kind: 'system', job: 'test' });

  /** A person on Discord with a linked wallet, who is not in the server. */
  async function addPerson(name = 'ann') {
    people += 1;
    const { id: discordId } = emulator.createUser(`${name}${people}`);
    const account = `0x${(0xdd000000 + people).toString(16).padStart(40, '0')}`;
    const userId = `DIS#USER#${discordId}`;
    await link(userId, account);
    return { discordId, userId, account, actor: discordUser(discordId) };
  }
  async function link(userId: string, account: string) {
    people += 1;
    await services.db.pool.query(
      `insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
       values ($1, $2, 'discord', 'evm', $3, $4)`,
      [`ri${people}`, userId, account, services.clock()],
    );
  }
  type Person = Awaited<ReturnType<typeof addPerson>>;
  const hold = ({ account }: Person, roleId: string, amount: string) => {
    const { reference = '' } = contractOf.find((one) => one.roleId === roleId) ?? {};
    d.t.holdings.set({ chain: 'evm:1', standard: 'erc20', reference, account }, amount);
  };
  /** Runs the checks that are due, as the worker does. */
  const check = async (db = services.db) => {
    for (const inviteId of await claimDueInvites(system(db))) await checkInvite(system(db), inviteId);
  };
  const codeOf = (url = '') => url.split('/').at(-1) ?? '';
  return {
    ...guild,
    own,
    ruleIds,
    botRole,
    channelId,
    system,
    addPerson,
    link,
    hold,
    check,
    /** The same after the time between two checks. */
    checkLater: async () => {
      d.t.advanceSeconds(130);
      await check();
    },
    create: (person: Person, db = services.db) =>
      createMyRoleInvite({ ...d.as(person.actor), db }, { communityId: id }),
    get: (person: Person) => getMyRoleInvite(d.as(person.actor), { communityId: id }),
    /** The person accepts the invite, and the gateway reports that unless the event is lost. */
    join: async ({ discordId }: Person, url: string | undefined, { isReported = true } = {}) => {
      const member = emulator.acceptInvite(guildId, codeOf(url), { id: discordId });
      const roleIds = [...member.roles];
      if (isReported)
        await takeDiscordEvent(services, {
          kind: 'member-joined',
          guildId,
          userId: discordId,
          userName: member.user.username,
          roleIds,
          isBot: false,
        });
      return roleIds;
    },
    ledger: async ({ userId }: Person) => {
      const { rows } = await services.db.pool.query<{ role_id: string; action: string; cause: string }>(
        `select l.role_id, l.action, p.cause from role_ledger l join change_sets p on p.id = l.change_set_id
         where l.community_id = $1 and l.user_id = $2 order by l.id`,
        [id, userId],
      );
      return rows;
    },
    statesOf: async ({ userId }: Person) => {
      const { rows } = await services.db.pool.query<{ state: string; why: string | null }>(
        'select state, why from role_invites where community_id = $1 and user_id = $2 order by created_at, id',
        [id, userId],
      );
      return rows.map(({ state, why }) => (why === null ? state : `${state}: ${why}`));
    },
  };
}

export type Server = Awaited<ReturnType<typeof openServer>>;
