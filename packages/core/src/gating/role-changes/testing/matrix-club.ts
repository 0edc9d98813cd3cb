import { type MatrixEmulator, type MatrixOptions, startMatrixEmulator } from '@latchkey/emulators/matrix';
import { communityKey, userKey } from '../../../shared/qualified-ids.ts';
import type { TestPlatform } from '../../../testing/index.ts';
import { chain, erc20Rule, token } from './index.ts';

/** A space on a homeserver with a room and a power level that rules give, and members with a wallet each. */
export interface MatrixClub {
  emulator: MatrixEmulator;
  id: string;
  space: string;
  botToken: string;
  members: readonly string[];
  hold(member: number, amount: number): void;
  /** The member leaves the space, or comes back. Nobody tells Latchkey. */
  setInSpace(member: number, isIn: boolean): void;
  /** Whether the member has access to the room and has the level. */
  stateOf(member: number): { isInRoom: boolean; level: number | undefined };
  /** What the bot did to members in the room, in order: invites and removals. */
  deeds(): { userId: string; membership: string; position: number }[];
}

/** How much of the token each role needs. */
export const needed = { room: 1, level: 5 } as const;
export const clubLevel = 10;

export async function setUpMatrixClub(
  t: Pick<TestPlatform, 'services' | 'holdings'>,
  size: number,
  /** Which members have both roles from the start. */
  hasRoles: (member: number) => boolean,
  options: MatrixOptions = {},
): Promise<MatrixClub> {
  const emulator = await startMatrixEmulator(options);
  const { world } = emulator;
  const bot = world.addUser('latchkey');
  const owner = world.addUser('owner');
  const members = Array.from({ length: size }, (_, member) => world.addUser(`m${member}`).userId);
  const withRoles = members.filter((_, member) => hasRoles(member));
  const open = (id: string, name: string, isSpace: boolean, levels: Record<string, number>, joined: string[]) => {
    const room: Parameters<typeof world.stateOf>[0] = { id: `!${id}:${world.server}`, events: [], state: new Map() };
    world.rooms.set(room.id, room);
    const set = (type: string, content: Record<string, unknown>, key = '') =>
      world.add(room, { type, sender: owner.userId, state_key: key, content });
    set('m.room.create', { room_version: '11', ...(isSpace && { type: 'm.space' }) });
    for (const userId of [owner.userId, bot.userId, ...joined]) set('m.room.member', { membership: 'join' }, userId);
    set('m.room.power_levels', {
      users: { [owner.userId]: 100, [bot.userId]: 100, ...levels },
      users_default: 0,
      state_default: 50,
      ban: 50,
      kick: 50,
      redact: 50,
      invite: 50,
      events: { 'm.room.power_levels': 100, 'm.room.topic': clubLevel },
    });
    set('m.room.join_rules', { join_rule: 'invite' });
    set('m.room.name', { name });
    return { room, set };
  };
  const given = Object.fromEntries(withRoles.map((userId) => [userId, clubLevel]));
  const space = open('space', 'Cat Club', true, given, members);
  const { room } = open('holders', 'Holders', false, {}, withRoles);
  space.set('m.space.child', { via: [world.server] }, room.id);
  const id = communityKey('matrix', space.room.id);
  await insertClub(t, id, space.room.id, [
    erc20Rule(`room:${room.id}`, String(needed.room)),
    erc20Rule(`level:${clubLevel}`, String(needed.level)),
  ]);
  await insertWallets(t, members);
  const started = world.position;
  return {
    emulator,
    id,
    space: space.room.id,
    botToken: bot.token,
    members,
    hold: (member, amount) =>
      t.holdings.set({ chain, standard: 'erc20', reference: token, account: walletOf(member) }, String(amount)),
    setInSpace: (member, isIn) => {
      const userId = members[member] ?? '';
      const content = { membership: isIn ? 'join' : 'leave' };
      world.add(space.room, { type: 'm.room.member', sender: userId, state_key: userId, content });
    },
    stateOf: (member) => {
      const userId = members[member] ?? '';
      const membership = world.membershipOf(room, userId);
      const levels = world.stateOf(space.room, 'm.room.power_levels')?.content.users as
        | Record<string, number>
        | undefined;
      return { isInRoom: membership === 'join' || membership === 'invite', level: levels?.[userId] };
    },
    deeds: () =>
      [...room.events, ...space.room.events].flatMap(({ type, sender, state_key: userId = '', content, position }) =>
        type === 'm.room.member' && sender === bot.userId && position > started
          ? [{ userId, membership: String(content.membership), position }]
          : [],
      ),
  };
}

function walletOf(member: number): string {
  return `0x${(member + 1).toString(16).padStart(40, '0')}`;
}

async function insertClub(
  { services: { db, clock } }: Pick<TestPlatform, 'services'>,
  id: string,
  space: string,
  rules: readonly Record<string, unknown>[],
): Promise<void> {
  await db.pool.query(
    `insert into communities (id, platform, community_id, name, status, owner_id, profile, disable_background_checks,
       created_at, updated_at)
     values ($1, 'matrix', $2, 'Cat Club', 'active', $3, '{}', false, $4, $4)`,
    [id, space, userKey('matrix', '@owner:matrix.test'), clock()],
  );
  await db.pool.query(
    `insert into community_rules (id, community_id, role_id, definition, created_at, updated_at)
     select 'TPC#' || n, $1, r ->> 'roleId', r, $3, $3 from jsonb_array_elements($2) with ordinality as e (r, n)`,
    [id, JSON.stringify(rules), clock()],
  );
}

async function insertWallets(
  { services: { db, clock } }: Pick<TestPlatform, 'services'>,
  members: readonly string[],
): Promise<void> {
  await db.pool.query(
    `insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
     select 'w' || a, u, 'matrix', 'evm', a, $3 from unnest($1::text[], $2::text[]) as w (u, a)`,
    [members.map((userId) => userKey('matrix', userId)), members.map((_, member) => walletOf(member)), clock()],
  );
}
