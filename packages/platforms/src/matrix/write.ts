import type { MemberWrite, Refusal, WriteOutcome } from '@latchkey/core/ports';
import { type MatrixClient, saysForbidden } from './client.ts';
import { findFault } from './faults.ts';
import { roomPath } from './ids.ts';
import { explicitLevelOf, levelOf, powerLevels, withLevel } from './power.ts';
import { type MatrixRole, memberRole, parseRole } from './roles.ts';
import { readPower, readRoomMember } from './rooms.ts';
import { hasAccess, isOut, readLeft, readOne, readScene, type Scene } from './scene.ts';

/** Writes the changes of one member and reads them back. Throws `PlatformFailed` for what concerns the whole community. */
export async function writeRoles(
  client: MatrixClient,
  write: MemberWrite,
  signal?: AbortSignal,
): Promise<WriteOutcome> {
  const { communityId, userId } = write;
  const scene = await readScene(client, communityId, signal);
  const work: Work = { client, scene, userId, reason: write.reason, added: write.add, signal, calls: 0, refused: [] };
  const before = await readRoomMember(client, communityId, userId, signal);
  if (write.isJoinRequest && before?.membership !== 'knock')
    return before?.membership === 'join' ? writtenNow(work) : { kind: 'gone' };
  if (write.isJoinRequest && write.remove.includes(memberRole)) {
    await change(work, memberRole, () => removeFrom(work, communityId, 'declined'));
    return concluded(work, { kind: 'written', roleIds: [], calls: work.calls, hasLeft: true });
  }
  if (write.add.includes(memberRole) && before?.membership === 'knock') {
    await change(work, memberRole, () => admit(work, communityId));
    const roleIds = hasAccess((await readRoomMember(client, communityId, userId, signal))?.membership)
      ? [memberRole]
      : [];
    return concluded(work, { kind: 'written', roleIds, calls: work.calls });
  }
  if (before?.membership !== 'join') return isOut(before?.membership) ? writeLeft(work, write) : { kind: 'gone' };
  if (write.remove.includes(memberRole)) {
    if (levelOf(scene.power, userId) >= levelOf(scene.power, scene.botId)) return asChange(memberRole, protectedAdvice);
    // The power level would outlast the membership.
    await writeLevel(work, { ...write, add: [] });
    const refused = work.refused.splice(0);
    // Rooms first: who is out of the space must not stay in a room that is gated by it.
    for (const { roomId } of scene.children) await change(work, memberRole, () => removeFrom(work, roomId, 'removed'));
    await change(work, memberRole, () => removeFrom(work, communityId, 'removed'));
    if (work.refused[0] !== undefined) return { kind: 'forbidden', ...work.refused[0] };
    const after = await readRoomMember(client, communityId, userId, signal);
    if (hasAccess(after?.membership)) return noEffect;
    const written = { kind: 'written', roleIds: [], calls: work.calls, hasLeft: true } as const;
    return refused.length === 0 ? written : { ...written, refused };
  }
  await writeLevel(work, write);
  await writeRooms(work, write);
  return writtenNow(work);
}

async function writeRooms(work: Work, { add, remove }: Pick<MemberWrite, 'add' | 'remove'>): Promise<void> {
  for (const [roleIds, run] of [
    [add, admit],
    [remove, leaveRoom],
  ] as const)
    for (const roleId of roleIds) {
      const role = parseRole(roleId);
      if (role?.kind === 'room') await change(work, roleId, () => run(work, role.roomId));
      else if (role === undefined) await change(work, roleId, async () => undefined);
    }
}

/** Takes roles of someone who left. They get none. */
async function writeLeft(work: Work, write: MemberWrite): Promise<WriteOutcome> {
  const remove = write.remove.filter((roleId) => roleId !== memberRole);
  if (remove.length === 0) return { kind: 'gone' };
  await writeLevel(work, { ...write, add: [], remove });
  await writeRooms(work, { add: [], remove });
  const { client, userId, signal } = work;
  const scene = await readScene(client, work.scene.roomId, signal);
  const roleIds = await readLeft(client, scene, userId, signal);
  return concluded(work, { kind: 'written', roleIds, calls: work.calls, hasLeft: true });
}

interface Work {
  client: MatrixClient;
  scene: Scene;
  userId: string;
  reason: string;
  added: readonly string[];
  signal: AbortSignal | undefined;
  calls: number;
  refused: Refusal[];
}

const noEffect: WriteOutcome = {
  kind: 'failed',
  reason: 'The homeserver accepted the change, but it did not take effect.',
  retryAfterSeconds: 5,
};

async function writtenNow(work: Work): Promise<WriteOutcome> {
  const { client, userId, signal, scene } = work;
  const after = await readOne(
    client,
    { ...scene, power: await readPower(client, scene.roomId, signal) },
    userId,
    signal,
  );
  if (after === undefined) return { kind: 'gone' };
  return concluded(work, { kind: 'written', roleIds: after.roleIds, calls: work.calls });
}

/** A refusal of everything that was asked is one; otherwise it is reported beside what was written. */
function concluded({ refused }: Work, outcome: Extract<WriteOutcome, { kind: 'written' }>): WriteOutcome {
  const [only] = refused;
  if (only !== undefined && refused.length === 1 && outcome.calls === 0) return { kind: 'forbidden', ...only };
  return refused.length === 0 ? outcome : { ...outcome, refused };
}

/** Makes one change. What the homeserver or the room forbids is noted, and does not keep the others from being made. */
async function change(work: Work, roleId: string, run: () => Promise<string | undefined>): Promise<void> {
  const fault = await findFault(work.client, work.scene, roleId, work.signal);
  // A level that lets members moderate is not given, but may always be taken.
  if (fault !== undefined && (fault.fault !== 'ruling' || work.added.includes(roleId))) {
    work.refused.push(fault);
    return;
  }
  try {
    const advice = await run();
    if (advice !== undefined) work.refused.push({ scope: 'change', roleId, advice });
  } catch (error) {
    if (!saysForbidden(error)) throw error;
    work.refused.push({
      scope: 'change',
      roleId,
      advice: 'The Matrix homeserver refused this change for this member.',
    });
  }
}

function asChange(roleId: string, advice: string): WriteOutcome {
  return { kind: 'forbidden', scope: 'change', roleId, advice };
}

const protectedAdvice =
  'This member’s power level is not below the bot’s, so the bot cannot remove them. Change it first.';
const leftAdvice =
  'This member left the room, or declined the invite. They are not invited again: they can ask to join the room, or an admin can invite them.';
const bannedAdvice = 'This member is banned from the room. Unban them there first.';

/** Invites a user, which also accepts a knock. Returns why not, if they must not be invited. */
async function admit(work: Work, roomId: string): Promise<string | undefined> {
  const { client, userId, signal, scene } = work;
  const member = await readRoomMember(client, roomId, userId, signal);
  if (hasAccess(member?.membership)) return undefined;
  if (member?.membership === 'ban') return bannedAdvice;
  if (member?.membership === 'leave' && member.isOwnDoing && roomId !== scene.roomId) return leftAdvice;
  await send(work, roomPath(roomId, '/invite'), { user_id: userId, reason: work.reason });
  return undefined;
}

async function leaveRoom(work: Work, roomId: string): Promise<string | undefined> {
  return removeFrom(work, roomId, 'removed');
}

/** Removes a user, declines their knock, or withdraws their invite. They stay free to come back. */
async function removeFrom(work: Work, roomId: string, how: 'removed' | 'declined'): Promise<string | undefined> {
  const { client, userId, signal, scene } = work;
  const member = await readRoomMember(client, roomId, userId, signal);
  const isThere = hasAccess(member?.membership) || (how === 'declined' && member?.membership === 'knock');
  if (!isThere) return undefined;
  const power = roomId === scene.roomId ? scene.power : await readPower(client, roomId, signal);
  if (levelOf(power, userId) >= levelOf(power, scene.botId)) return protectedAdvice;
  await send(work, roomPath(roomId, '/kick'), { user_id: userId, reason: work.reason });
  return undefined;
}

async function send(work: Work, path: string, body: unknown): Promise<void> {
  work.calls += 1;
  await work.client.call('POST', path, { body, signal: work.signal });
}

const isLevel = (role: MatrixRole | undefined) => role?.kind === 'level';

/** Sets or takes a power level. The levels of everyone are one event, so it is read immediately before. */
async function writeLevel(work: Work, { add, remove }: MemberWrite): Promise<void> {
  const { client, scene, userId, signal } = work;
  const added = add.find((roleId) => isLevel(parseRole(roleId)));
  const removed = remove.filter((roleId) => isLevel(parseRole(roleId)));
  const roleId = added ?? removed[0];
  if (roleId === undefined) return;
  await change(work, roleId, async () => {
    const power = await readPower(client, scene.roomId, signal);
    const current = explicitLevelOf(power, userId);
    const role = added === undefined ? undefined : parseRole(added);
    const level = role?.kind === 'level' ? role.level : undefined;
    if (levelOf(power, userId) >= levelOf(power, scene.botId)) return protectedAdvice;
    const isTaken = removed.some((id) => id === `level:${current}`);
    if (level === undefined && !isTaken) return undefined;
    if (level !== undefined && current !== undefined && current > level && !isTaken)
      return `This member already has the higher power level ${current}, which someone else gave them.`;
    if (current === level) return undefined;
    const content = withLevel(power, userId, level);
    work.calls += 1;
    await client.call('PUT', roomPath(scene.roomId, `/state/${powerLevels}/`), { body: content, signal });
    return undefined;
  });
}
