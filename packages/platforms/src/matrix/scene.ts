import type { LeftMember, MemberRoles } from '@latchkey/core/ports';
import { isObject } from '@latchkey/kernel';
import type { MatrixClient } from './client.ts';
import { localpartOf } from './ids.ts';
import { explicitLevelOf, levelOf, neededFor, type Power } from './power.ts';
import { levelRole, memberRole, roomRole } from './roles.ts';
import {
  type ChildRoom,
  listRoomMembers,
  type Membership,
  type RoomMember,
  readChildRooms,
  readPower,
  readRoomMember,
} from './rooms.ts';

/** What decides the roles of a community, read at one time. */
export interface Scene {
  roomId: string;
  botId: string;
  power: Power;
  children: readonly ChildRoom[];
}

export async function readScene(client: MatrixClient, roomId: string, signal?: AbortSignal): Promise<Scene> {
  const [botId, power, children] = await Promise.all([
    client.ownId(signal),
    readPower(client, roomId, signal),
    readChildRooms(client, roomId, signal),
  ]);
  return { roomId, botId, power, children };
}

/** Whether the user has access: they are in the room, or can enter it whenever they want. */
export function hasAccess(membership: Membership | undefined): boolean {
  return membership === 'join' || membership === 'invite';
}

/** Whether the room says that the user left it, was removed or is banned. Being unknown to it is not the same. */
export function isOut(membership: Membership | undefined): boolean {
  return membership === 'leave' || membership === 'ban';
}

/** The power level that is set for a user, if it is more than that of everyone. */
function levelsIn({ power }: Scene, userId: string): string[] {
  const level = explicitLevelOf(power, userId);
  return level !== undefined && level > neededFor(power, 'users_default') ? [levelRole(level)] : [];
}

/** The roles of someone who is in the community. `rooms` are the child rooms that they have access to. */
export function toMember(scene: Scene, { userId, name }: RoomMember, rooms: readonly string[]): MemberRoles {
  const { power, botId } = scene;
  return {
    userId,
    userName: name ?? localpartOf(userId),
    roleIds: [memberRole, ...levelsIn(scene, userId), ...rooms.map(roomRole)],
    isBot: userId === botId,
    isProtected: levelOf(power, userId) >= levelOf(power, botId),
  };
}

/** Undefined if they are not in the community. */
export async function readOne(
  client: MatrixClient,
  scene: Scene,
  userId: string,
  signal?: AbortSignal,
): Promise<MemberRoles | undefined> {
  const member = await readRoomMember(client, scene.roomId, userId, signal);
  if (member?.membership !== 'join') return undefined;
  const rooms: string[] = [];
  for (const { roomId } of scene.children)
    if (hasAccess((await readRoomMember(client, roomId, userId, signal))?.membership)) rooms.push(roomId);
  return toMember(scene, member, rooms);
}

/**
 * What someone who left the space or room still has of its roles: Matrix ends neither the power level nor being in the rooms of a
 * space. Empty if the room does not say that they left, as of those who have not come to a new version of it yet. Leaves out what the
 * bot may not take because their level is not below its own.
 */
export async function readLeft(
  client: MatrixClient,
  scene: Scene,
  userId: string,
  signal?: AbortSignal,
): Promise<string[]> {
  if (!isOut((await readRoomMember(client, scene.roomId, userId, signal))?.membership)) return [];
  const rooms: string[] = [];
  for (const { roomId } of scene.children) {
    if (!hasAccess((await readRoomMember(client, roomId, userId, signal))?.membership)) continue;
    if (isBelow(await readPower(client, roomId, signal), userId, scene.botId)) rooms.push(roomId);
  }
  return rolesAfterLeaving(scene, userId, rooms);
}

/** The same of everyone who left, from the members of the space or room and of its rooms. */
export async function listLeft(
  client: MatrixClient,
  scene: Scene,
  { here, rooms }: { here: MembersById; rooms: readonly { roomId: string; members: MembersById }[] },
  signal?: AbortSignal,
): Promise<LeftMember[]> {
  const { content } = scene.power;
  const isElsewhere = (userId: string) => [undefined, 'ban'].includes(here.get(userId)?.membership);
  const leveled = Object.keys(isObject(content.users) ? content.users : {}).filter(isElsewhere);
  const inside = rooms.map(({ roomId, members }) => ({
    roomId,
    userIds: [...members.values()].flatMap(({ userId, membership }) =>
      hasAccess(membership) && isElsewhere(userId) ? [userId] : [],
    ),
  }));
  if (leveled.length === 0 && inside.every(({ userIds }) => userIds.length === 0)) return [];
  // Most who ever left are nowhere else, so the list of them is only read if it matters.
  const { members: gone } = await listRoomMembers(client, scene.roomId, signal, 'membership=leave');
  const isLeft = (userId: string) => isOut((here.get(userId) ?? gone.get(userId))?.membership);
  const roomsOf = new Map<string, string[]>(leveled.filter(isLeft).map((userId) => [userId, []]));
  for (const { roomId, userIds } of inside) {
    const left = userIds.filter(isLeft);
    if (left.length === 0) continue;
    const power = await readPower(client, roomId, signal);
    for (const userId of left.filter((one) => isBelow(power, one, scene.botId)))
      roomsOf.set(userId, [...(roomsOf.get(userId) ?? []), roomId]);
  }
  return [...roomsOf].flatMap(([userId, ids]) => {
    const roleIds = rolesAfterLeaving(scene, userId, ids);
    return roleIds.length === 0 ? [] : [{ userId, roleIds }];
  });
}

type MembersById = ReadonlyMap<string, RoomMember>;

function rolesAfterLeaving(scene: Scene, userId: string, rooms: readonly string[]): string[] {
  const levels = isBelow(scene.power, userId, scene.botId) ? levelsIn(scene, userId) : [];
  return [...levels, ...rooms.map(roomRole)];
}

function isBelow(power: Power, userId: string, botId: string): boolean {
  return levelOf(power, userId) < levelOf(power, botId);
}
