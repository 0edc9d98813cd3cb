import {
  type CommunityPicture,
  type MemberListEnd,
  type MemberRoles,
  MemberUnreadable,
  PlatformFailed,
  type PlatformRole,
  type RoleHost,
  type WriteOutcome,
} from '@latchkey/core/ports';
import { isObject } from '@latchkey/kernel';
import { downloadPicture } from '../pictures/download.ts';
import { checkSetup } from './check-setup.ts';
import type { MatrixClient, MatrixOptions } from './client.ts';
import { findFault } from './faults.ts';
import { knownLevels, levelOf, neededToSet, type Power, powerLevels } from './power.ts';
import { levelRole, memberRole, parseRole, roomRole } from './roles.ts';
import { listRoomMembers, type RoomMember, readPower, readRoomMember, readState } from './rooms.ts';
import { hasAccess, listLeft, readLeft, readOne, readScene, type Scene, toMember } from './scene.ts';
import { writeRoles } from './write.ts';

/** Creates the role host of Matrix: spaces and rooms, with power levels and gated rooms as roles. */
export function createMatrixHost(
  client: MatrixClient,
  options: Pick<MatrixOptions, 'accessToken' | 'fetch' | 'homeserverUrl'>,
): RoleHost {
  return {
    platform: 'matrix',
    // Power levels are one event for everyone: two writes at once would undo each other.
    writesAtOnce: 1,
    readRoles: async (roomId, signal) => toRoles(await readScene(client, roomId, signal)),
    readMember: async (roomId, userId, signal) =>
      readOne(client, await readScene(client, roomId, signal), userId, signal),
    readLeftRoles: async (roomId, userId, signal) =>
      readLeft(client, await readScene(client, roomId, signal), userId, signal),
    readMembers: (roomId, signal) => readAll(client, roomId, signal),
    findFaults: async (roomId, roleIds, signal) => {
      const scene = await readScene(client, roomId, signal);
      const faults = await Promise.all(roleIds.map((roleId) => findFault(client, scene, roleId, signal)));
      return faults.filter((fault) => fault !== undefined);
    },
    checkSetup: (roomId, roleIds, signal) => checkSetup(client, roomId, roleIds, signal),
    administers: async (roomId, userId, signal) => {
      const [power, member] = await Promise.all([
        readPower(client, roomId, signal),
        readRoomMember(client, roomId, userId, signal),
      ]);
      return member?.membership === 'join' && managesRoom(power, userId);
    },
    findOwner: async (roomId, signal) => {
      const power = await readPower(client, roomId, signal);
      const member = await readRoomMember(client, roomId, power.creator, signal);
      return member?.membership === 'join' && managesRoom(power, power.creator) ? power.creator : undefined;
    },
    // A member has one power level, so of several the highest is given.
    settle: (_roles, deserved) => {
      const best = Math.max(...deserved.map((id) => levelIn(id) ?? Number.NEGATIVE_INFINITY));
      return deserved.filter((id) => [undefined, best].includes(levelIn(id)));
    },
    readPicture: (roomId, version, signal) => readAvatar(client, options, roomId, version, signal),
    writeMember: async (write, signal) => {
      try {
        return await writeRoles(client, write, signal);
      } catch (error) {
        signal?.throwIfAborted();
        return outcomeOf(error);
      }
    },
  };
}

function levelIn(roleId: string): number | undefined {
  const role = parseRole(roleId);
  return role?.kind === 'level' ? role.level : undefined;
}

/** Who may change the power levels of a room can do by hand whatever the bot does by rule. */
export function managesRoom(power: Power, userId: string): boolean {
  return levelOf(power, userId) >= neededToSet(power, powerLevels);
}

const levelNames: Readonly<Record<number, string>> = { 50: 'Moderator', 100: 'Admin' };

function toRoles({ power, children, botId }: Scene): PlatformRole[] {
  const botLevel = levelOf(power, botId);
  const levels = knownLevels(power).filter((level) => level < botLevel);
  const named = levels.map((level) => {
    const name = levelNames[level];
    return {
      id: levelRole(level),
      name: `Power level ${level}${name === undefined ? '' : ` (${name})`}`,
      position: level,
    };
  });
  return [
    { id: memberRole, name: 'Member', position: 0 },
    ...named,
    ...children.map(({ roomId, name }) => ({ id: roomRole(roomId), name, position: 0 })),
  ];
}

const pageMembers = 1_000;

async function* readAll(
  client: MatrixClient,
  roomId: string,
  signal?: AbortSignal,
): AsyncGenerator<readonly MemberRoles[], MemberListEnd> {
  const scene = await readScene(client, roomId, signal);
  const here = await listRoomMembers(client, roomId, signal);
  const rooms: { roomId: string; members: ReadonlyMap<string, RoomMember>; isComplete: boolean }[] = [];
  for (const child of scene.children) {
    const { members, malformed } = await listRoomMembers(client, child.roomId, signal);
    rooms.push({ roomId: child.roomId, members, isComplete: malformed === 0 });
  }
  const inside = [...here.members.values()].filter(({ membership }) => membership === 'join');
  // Whether a member is in a room is unknown if the entry that would say so could not be read.
  const known = inside.filter(({ userId }) => rooms.every((room) => room.isComplete || room.members.has(userId)));
  for (let from = 0; from < known.length; from += pageMembers)
    yield known.slice(from, from + pageMembers).map((member) =>
      toMember(
        scene,
        member,
        rooms.filter(({ members }) => hasAccess(members.get(member.userId)?.membership)).map((room) => room.roomId),
      ),
    );
  const left = await listLeft(client, scene, { here: here.members, rooms }, signal);
  const isComplete = here.malformed === 0 && known.length === inside.length;
  return isComplete
    ? { isComplete, left }
    : { isComplete, left, reason: 'The homeserver sent members that could not be read.' };
}

/** Throws what is no response of the homeserver. */
function outcomeOf(error: unknown): WriteOutcome {
  if (!(error instanceof PlatformFailed)) throw error;
  const { message, retryAfterSeconds, kind } = error;
  if (kind === 'unavailable' || error instanceof MemberUnreadable)
    return { kind: 'failed', reason: message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  if (kind === 'malformed') return { kind: 'failed', reason: message, retryAfterSeconds: 60 };
  const isOut = kind === 'forbidden' || kind === 'unknown-community';
  return {
    kind: 'forbidden',
    scope: 'community',
    fault: 'no-access',
    advice: isOut ? 'Invite the bot to this space or room, with a power level of 100 (Admin).' : message,
  };
}

const mxcForm = /^mxc:\/\/([A-Za-z0-9.:[\]-]{1,255})\/([\w-]{1,255})$/;

/** The avatar of a room as a small picture, from the homeserver's own media repository. */
async function readAvatar(
  client: MatrixClient,
  { accessToken, fetch, homeserverUrl }: Pick<MatrixOptions, 'accessToken' | 'fetch' | 'homeserverUrl'>,
  roomId: string,
  version: string | undefined,
  signal?: AbortSignal,
): Promise<CommunityPicture> {
  const content = await readState(client, roomId, 'm.room.avatar', { signal });
  const mxc = isObject(content) && typeof content.url === 'string' ? content.url : '';
  const [, server, mediaId] = mxcForm.exec(mxc) ?? [];
  if (server === undefined || mediaId === undefined) return { kind: 'none' };
  if (mxc === version) return { kind: 'same' };
  const path = `/_matrix/client/v1/media/thumbnail/${encodeURIComponent(server)}/${mediaId}?width=160&height=160&method=crop`;
  const withToken: typeof fetch = (url, init) =>
    fetch(url, { ...init, headers: { authorization: `Bearer ${accessToken}` } });
  const bytes = await downloadPicture(withToken, `${homeserverUrl.replace(/\/+$/, '')}${path}`, 'Matrix', signal);
  return { kind: 'picture', version: mxc, bytes };
}
