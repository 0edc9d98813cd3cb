import type { MemberRoles } from '@latchkey/core/ports';
import type { MatrixClient } from './client.ts';
import { localpartOf } from './ids.ts';
import { explicitLevelOf, levelOf, neededFor, type Power } from './power.ts';
import { levelRole, memberRole, roomRole } from './roles.ts';
import {
  type ChildRoom,
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

/** The roles of someone who is in the community. `rooms` are the child rooms that they have access to. */
export function toMember(scene: Scene, { userId, name }: RoomMember, rooms: readonly string[]): MemberRoles {
  const { power, botId } = scene;
  const level = explicitLevelOf(power, userId);
  const isRaised = level !== undefined && level > neededFor(power, 'users_default');
  return {
    userId,
    userName: name ?? localpartOf(userId),
    roleIds: [memberRole, ...(isRaised ? [levelRole(level)] : []), ...rooms.map(roomRole)],
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
