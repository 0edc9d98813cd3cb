import { type Fields, fieldsOf } from '@latchkey/adapter-kit';
import type { HostCheck } from '@latchkey/core/ports';
import { isObject } from '@latchkey/kernel';
import { type MatrixClient, parsed, saysForbidden } from './client.ts';
import { linkTo } from './ids.ts';
import { levelOf, neededFor, neededToSet, type Power, powerLevels } from './power.ts';
import { memberRole, parseRole, roomRole } from './roles.ts';
import { readPower, readRoomName, readState } from './rooms.ts';
import { readScene } from './scene.ts';
import { readReplacement } from './upgrades.ts';

/** A room that a rule lets people into. */
interface Gate {
  roomId: string;
  roleId: string;
  name: string;
  power: Power;
}

/**
 * Checks what the bot may do in the community and in each room that a rule gives, and which settings of these rooms let people in, or let
 * them read, without the rule.
 */
export async function checkSetup(
  client: MatrixClient,
  communityId: string,
  roleIds: readonly string[],
  signal?: AbortSignal,
): Promise<HostCheck[]> {
  const scene = await readScene(client, communityId, signal);
  const { power, botId, children } = scene;
  const name = await readRoomName(client, communityId, signal);
  const gates: Gate[] = roleIds.includes(memberRole) ? [{ roomId: communityId, roleId: memberRole, name, power }] : [];
  const ruledRooms = children.filter(({ roomId }) => roleIds.includes(roomRole(roomId)));
  for (const { roomId, name } of ruledRooms)
    gates.push({ roomId, roleId: roomRole(roomId), name, power: await readPower(client, roomId, signal) });
  const givesLevels = roleIds.some((roleId) => parseRole(roleId)?.kind === 'level');
  const checks: HostCheck[] = [
    { id: 'bot', subject: 'bot', state: 'ok', title: 'Bot in the community', reason: whyInside },
    ...(await checkReplaced(client, { roomId: communityId, name }, signal)),
    ...(givesLevels ? [checkLevels(power, levelOf(power, botId))] : []),
  ];
  for (const gate of gates) {
    if (gate.roomId !== communityId) checks.push(...(await checkReplaced(client, gate, signal)));
    checks.push(...checkRights(gate, levelOf(gate.power, botId)));
    checks.push(await checkJoinRule(client, gate, gates, signal));
    checks.push(...checkInvites(gate));
    checks.push(...(await checkHistory(client, gate, signal)));
  }
  return checks;
}

const whyInside = 'The bot reads members and gives roles from inside the community.';

function about({ roomId, roleId, name }: Gate, what: string) {
  return { id: `${what}.${roleId}`, roleId, roleName: name, link: linkTo(roomId) };
}

async function checkReplaced(
  client: MatrixClient,
  { roomId, name }: Pick<Gate, 'roomId' | 'name'>,
  signal?: AbortSignal,
): Promise<HostCheck[]> {
  const replacement = await readReplacement(client, roomId, signal);
  if (replacement === undefined) return [];
  return [
    {
      id: `replaced.${roomId}`,
      subject: 'bot',
      state: 'broken',
      title: `“${name}” was upgraded`,
      reason: 'Matrix replaced this room with a new one, which the bot cannot enter or which does not name this one.',
      remedy: `Invite the bot to the new room, with the power level that it had. Rules and members move there then.`,
      link: linkTo(replacement),
    },
  ];
}

function checkLevels(power: Power, botLevel: number): HostCheck {
  const needed = neededToSet(power, powerLevels);
  const check = {
    id: 'permission.levels',
    subject: 'permission',
    title: 'Change permissions',
    reason: 'Gives and takes the power levels of your rules.',
  } as const;
  if (botLevel >= needed) return { ...check, state: 'ok' };
  return {
    ...check,
    state: 'broken',
    remedy: `Give the bot a power level that may change permissions (${needed}): Settings > Roles & Permissions.`,
  };
}

function checkRights(gate: Gate, botLevel: number): HostCheck[] {
  return (['invite', 'kick'] as const).map((action): HostCheck => {
    const needed = neededFor(gate.power, action);
    const [right, reason] = rights[action];
    const check = {
      ...about(gate, `permission.${action}`),
      subject: 'permission' as const,
      title: `${right} in “${gate.name}”`,
      reason,
    };
    if (botLevel >= needed) return { ...check, state: 'ok' };
    return {
      ...check,
      state: 'broken',
      remedy: `Give the bot power level ${needed} or higher in “${gate.name}”: Settings > Roles & Permissions.`,
    };
  });
}

const rights = {
  invite: ['Invite users', 'Lets in members who qualify.'],
  kick: ['Remove users', 'Removes members who no longer qualify.'],
} as const;

/** Whether people can enter a gated room without the bot. */
async function checkJoinRule(
  client: MatrixClient,
  gate: Gate,
  gates: readonly Gate[],
  signal?: AbortSignal,
): Promise<HostCheck> {
  const content = await readContent(client, gate.roomId, 'm.room.join_rules', signal);
  const rule = content.join_rule ?? 'invite';
  const check = {
    ...about(gate, 'join-rule'),
    subject: 'role' as const,
    title: `Who can join “${gate.name}”`,
  };
  const close = `In “${gate.name}”, open Settings > Security & Privacy, and choose “Ask to join” or “Private (invite only)”.`;
  if (rule === 'public')
    return { ...check, state: 'advised', reason: 'Anyone can join this room, whatever the rule says.', remedy: close };
  if (rule !== 'restricted' && rule !== 'knock_restricted')
    return { ...check, state: 'ok', reason: 'Only people who are invited can join, so the bot decides.' };
  const places = await Promise.all(
    allowedRooms(content).map(async (roomId) => {
      const gated = gates.find((one) => one.roomId === roomId);
      return { isGated: gated !== undefined, name: gated?.name ?? (await nameOfAny(client, roomId, signal)) };
    }),
  );
  if (places.length === 0)
    return { ...check, state: 'ok', reason: 'Only people who are invited can join, so the bot decides.' };
  const open = places.filter(({ isGated }) => !isGated);
  const named = (open.length > 0 ? open : places).map(({ name }) => `“${name}”`).join(', ');
  const reason =
    open.length > 0
      ? `Everyone in ${named} can join this room, and no rule decides who is there.`
      : `Everyone in ${named} can join this room, also without what this room’s own rule requires.`;
  return { ...check, state: 'advised', reason, remedy: close };
}

function allowedRooms({ allow }: Fields): string[] {
  if (!Array.isArray(allow)) return [];
  return allow.flatMap((one: unknown) =>
    isObject(one) && one.type === 'm.room_membership' && typeof one.room_id === 'string' ? [one.room_id] : [],
  );
}

/** The bot may not be in the room that a rule names. */
async function nameOfAny(client: MatrixClient, roomId: string, signal?: AbortSignal): Promise<string> {
  try {
    return await readRoomName(client, roomId, signal);
  } catch (error) {
    if (saysForbidden(error)) return roomId;
    throw error;
  }
}

/** By default every member of a Matrix room may invite others. */
function checkInvites(gate: Gate): HostCheck[] {
  const everyone = neededFor(gate.power, 'users_default');
  if (neededFor(gate.power, 'invite') > everyone) return [];
  return [
    {
      ...about(gate, 'invites'),
      subject: 'role',
      state: 'advised',
      title: `Who can invite to “${gate.name}”`,
      reason: 'Every member may invite people who do not qualify. Latchkey lists them and checks them like all others.',
      remedy: `In “${gate.name}”, open Settings > Roles & Permissions, and let only moderators invite users.`,
    },
  ];
}

/** What is written in a gated room is for its members. */
async function checkHistory(client: MatrixClient, gate: Gate, signal?: AbortSignal): Promise<HostCheck[]> {
  const content = await readContent(client, gate.roomId, 'm.room.history_visibility', signal);
  if (content.history_visibility !== 'world_readable') return [];
  return [
    {
      ...about(gate, 'history'),
      subject: 'role',
      state: 'advised',
      title: `Who can read “${gate.name}”`,
      reason: 'Anyone can read this room without joining it.',
      remedy: `In “${gate.name}”, open Settings > Security & Privacy, and let only members read the history.`,
    },
  ];
}

async function readContent(client: MatrixClient, roomId: string, type: string, signal?: AbortSignal): Promise<Fields> {
  const content = await readState(client, roomId, type, { signal });
  return content === undefined ? {} : parsed(() => fieldsOf(content, 'the settings of a room'));
}
