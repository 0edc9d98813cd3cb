import { type DiscordMemberObject, type MemberWrite, PlatformFailed, type WriteOutcome } from '@latchkey/core/ports';
import type { Method } from '../governor/index.ts';
import { codes, type DiscordClient, type Refused } from '../rest/create-client.ts';
import { explainRefusal } from './explain-refusal.ts';
import { isNoMember, readMember } from './members.ts';
import { concerns, type Forbidden, type Refusals, Suspicion } from './refusals.ts';
import type { WriteChecks } from './verify-writes.ts';

export interface WriteDesk {
  client: DiscordClient;
  refusals: Refusals;
  checks: WriteChecks;
}

type Change = { kind: 'add' | 'remove'; roleId: string };

const maxTries = 4;

/** Writes the changes of one member, reads it back, and writes again what Discord lost. */
export async function writeMember(desk: WriteDesk, write: MemberWrite, signal?: AbortSignal): Promise<WriteOutcome> {
  const roleIds = [...write.add, ...write.remove];
  for (;;) {
    const forbidden = desk.refusals.find(write.communityId, roleIds);
    if (forbidden !== undefined) return forbidden;
    try {
      return await desk.refusals.watch(write.communityId, roleIds, signal, (stop) => writeAndCheck(desk, write, stop));
    } catch (error) {
      if (error instanceof PlatformFailed) return failed(error);
      if (!(error instanceof Suspicion)) throw error;
      const outcome = await error.explanation;
      if (concerns(outcome, roleIds)) return outcome;
    }
  }
}

async function writeAndCheck(desk: WriteDesk, write: MemberWrite, signal: AbortSignal): Promise<WriteOutcome> {
  const { communityId, userId } = write;
  let held = write.held;
  let calls = 0;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const sent = await desk.checks.during(communityId, () => send(desk, write, held, signal));
    if (typeof sent !== 'number') return sent;
    calls += sent;
    const member = await desk.checks.read(communityId, userId);
    if (member === undefined) return { kind: 'gone' };
    if (changesOf(write, member.roles).length === 0) return { kind: 'written', roleIds: member.roles, calls };
    held = member.roles;
  }
  const reason = 'Discord answers that the roles were changed, but does not change them.';
  return { kind: 'failed', reason, retryAfterSeconds: 30 };
}

function changesOf({ add, remove }: MemberWrite, held: readonly string[]): Change[] {
  return [
    ...add.filter((roleId) => !held.includes(roleId)).map((roleId): Change => ({ kind: 'add', roleId })),
    ...remove.filter((roleId) => held.includes(roleId)).map((roleId): Change => ({ kind: 'remove', roleId })),
  ];
}

/** Sends the changes and answers with the number of calls, or with what stands in the way. */
async function send(
  desk: WriteDesk,
  write: MemberWrite,
  held: readonly string[],
  signal: AbortSignal,
): Promise<number | WriteOutcome> {
  const changes = changesOf(write, held);
  if (changes.length < 2) return sendSingly(desk, write, changes, signal);
  // The first role alone makes the list one that can be trusted; the rest then goes together.
  if (held.length === 0 && changes.length > 2) return sendSingly(desk, write, changes.slice(0, 1), signal);
  const member = await readMember(desk.client, write.communityId, write.userId, { priority: 'write', signal });
  if (member === undefined) return { kind: 'gone' };
  if (canReplace(held, member)) return sendTogether(desk, write, changes, member, signal);
  return sendSingly(desk, write, changesOf(write, member.roles), signal);
}

/**
 * Replacing the whole list is one call, but it takes away what the list leaves out. So it is done only on a list that two
 * looks agree on, and never on an empty one: Discord has been seen to answer with no roles for members that had some.
 */
function canReplace(held: readonly string[], { roles }: DiscordMemberObject): boolean {
  return held.length > 0 && held.length === roles.length && held.every((roleId) => roles.includes(roleId));
}

async function sendTogether(
  desk: WriteDesk,
  write: MemberWrite,
  changes: readonly Change[],
  member: DiscordMemberObject,
  signal: AbortSignal,
): Promise<number | WriteOutcome> {
  const roles = new Set(member.roles);
  for (const { kind, roleId } of changes) kind === 'add' ? roles.add(roleId) : roles.delete(roleId);
  const path = `/guilds/${write.communityId}/members/${write.userId}` as const;
  const problem = await call(desk, write, changes, signal, 'PATCH', path, { roles: [...roles] });
  return problem ?? 1;
}

async function sendSingly(
  desk: WriteDesk,
  write: MemberWrite,
  changes: readonly Change[],
  signal: AbortSignal,
): Promise<number | WriteOutcome> {
  for (const change of changes) {
    const path = `/guilds/${write.communityId}/members/${write.userId}/roles/${change.roleId}` as const;
    const problem = await call(desk, write, [change], signal, change.kind === 'add' ? 'PUT' : 'DELETE', path);
    if (problem !== undefined) return problem;
  }
  return changes.length;
}

/** Makes one call. Answers with what stands in the way, if something does. */
async function call(
  { client, refusals }: WriteDesk,
  { communityId, reason }: MemberWrite,
  changes: readonly Change[],
  signal: AbortSignal,
  method: Method,
  path: `/${string}`,
  body?: unknown,
): Promise<WriteOutcome | undefined> {
  const roleIds = changes.map(({ roleId }) => roleId);
  let explanation: Promise<Forbidden> | undefined;
  const answer = await client.call(method, path, {
    reason,
    priority: 'write',
    signal,
    ...(body === undefined ? {} : { body }),
    onForbidden: (refusal) => {
      explanation = explain(client, communityId, refusal, roleIds);
      refusals.suspect(communityId, roleIds, explanation);
    },
  });
  if (answer.kind === 'ok') return undefined;
  if (answer.kind === 'unavailable')
    return { kind: 'failed', reason: answer.reason, retryAfterSeconds: answer.retryAfterSeconds };
  if (isNoMember(answer)) return { kind: 'gone' };
  const outcome = await (explanation ?? explain(client, communityId, answer, roleIds));
  refusals.add(communityId, outcome);
  return outcome;
}

async function explain(
  client: DiscordClient,
  guildId: string,
  { code, status, message }: Refused,
  roleIds: readonly string[],
): Promise<Forbidden> {
  if (code === codes.missingPermissions) return explainRefusal(client, guildId, roleIds);
  const role = roleIds.length === 1 && roleIds[0] !== undefined ? { roleId: roleIds[0] } : {};
  if (code === codes.unknownRole || code === codes.invalidRole)
    return {
      kind: 'forbidden',
      advice: 'The role is not in the Discord server any more. Choose another in the rule.',
      ...role,
    };
  if (code === codes.unknownGuild || code === codes.missingAccess)
    return { kind: 'forbidden', advice: 'The bot is not in the Discord server any more. Invite it again.' };
  if (status === 401) return { kind: 'forbidden', advice: message };
  return { kind: 'forbidden', advice: `Discord refuses the change: ${message}`, ...role };
}

function failed(error: PlatformFailed): WriteOutcome {
  if (error.kind !== 'unavailable') return { kind: 'forbidden', advice: error.message };
  return {
    kind: 'failed',
    reason: error.message,
    ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
  };
}
