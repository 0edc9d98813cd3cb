import {
  type DiscordGuildObject,
  type DiscordMemberObject,
  findDiscordBotFault,
  findDiscordRoleFault,
  type MemberWrite,
  PlatformFailed,
  type RoleHost,
  rulesServer,
  type WriteOutcome,
} from '@latchkey/core/ports';
import {
  codes,
  type DiscordAnswer,
  type DiscordCall,
  type DiscordClient,
  platformFailed,
  type Refused,
} from '../rest/create-client.ts';
import { isNoMember, type MemberPage, memberRoles, readMember, readPage } from './members.ts';
import { type GuildRoles, notUnderstood, readRoles, readScene, rolesIn } from './read-scene.ts';
import { concerns, type Forbidden, Refusals, Suspicion } from './refusals.ts';
import { WriteChecks } from './verify-writes.ts';

// Enough that one page checks many of them at once, and few enough that each is done within about a minute.
const writesAtOnce = 60;

/** Creates the role host of Discord. */
export function createDiscordHost(client: DiscordClient): RoleHost {
  const desk = { client, refusals: new Refusals(client.governor.time), checks: new WriteChecks(client) };
  return {
    platform: 'discord',
    writesAtOnce,
    readMember: async (guildId, userId, signal) => {
      const member = await readMember(client, guildId, userId, { signal });
      return member && memberRoles(member);
    },
    readMembers: async function* (guildId, signal) {
      let unread = 0;
      let isCutOff = false;
      for (let after: string | undefined = '0'; after !== undefined; ) {
        const page: MemberPage = await readPage(client, guildId, after, { signal });
        if (page.members.length > 0) yield page.members.map(memberRoles);
        unread += page.malformed;
        isCutOff = page.isCutOff;
        after = page.next;
      }
      return { isComplete: unread === 0 && !isCutOff, ...(unread > 0 && { reason: unreadable(unread) }) };
    },
    readRoles: async (guildId, signal) =>
      (await readRoles(client, guildId, signal)).roles.map(({ id, name, color, position, managed }) => ({
        id,
        name,
        color,
        position,
        isManaged: managed,
      })),
    countHolders: async (guildId, signal) => {
      const answer = await client.call('GET', `/guilds/${guildId}/roles/member-counts`, { signal });
      if (answer.kind !== 'ok') throw platformFailed(answer);
      const counts = new Map(Object.entries(Object(answer.body)));
      if (![...counts.values()].every((count) => Number.isSafeInteger(count))) throw notUnderstood();
      return counts as Map<string, number>;
    },
    writeMember: (write, signal) => writeMember(desk, write, signal),
    administers: async (guildId, userId, signal) => {
      const [{ owner_id, roles }, member] = await Promise.all([
        readGuild(client, guildId, signal),
        readMember(client, guildId, userId, { signal }),
      ]);
      if (member === undefined) return false;
      const held = roles.roles.filter((role) => role.id === guildId || member.roles.includes(role.id));
      if (owner_id === userId || rulesServer(held.map((role) => role.permissions))) return true;
      // The permissions of a role that could not be read are unknown.
      if (roles.isPartial && held.length < new Set([...member.roles, guildId]).size) throw notUnderstood();
      return false;
    },
    findOwner: async (guildId, signal) => (await readGuild(client, guildId, signal)).owner_id,
    findFaults: async (guildId, roleIds, signal) => {
      // The current state supersedes refusals from before it changed.
      desk.refusals.forget(guildId);
      const scene = await readScene(client, guildId, signal);
      const botFault = findDiscordBotFault(scene);
      return [
        ...(botFault === undefined ? [] : [botFault]),
        ...roleIds.flatMap((roleId) => findDiscordRoleFault(scene, roleId) ?? []),
      ];
    },
  };
}

function unreadable(count: number): string {
  return `Discord sent ${count === 1 ? '1 member' : `${count} members`} that could not be read. They keep their roles.`;
}

async function readGuild(
  client: DiscordClient,
  guildId: string,
  signal?: AbortSignal,
): Promise<Pick<DiscordGuildObject, 'owner_id'> & { roles: GuildRoles }> {
  const answer = await client.call('GET', `/guilds/${guildId}`, { signal });
  if (answer.kind !== 'ok') throw platformFailed(answer);
  const { owner_id, roles } = Object(answer.body) as Partial<DiscordGuildObject>;
  if (typeof owner_id !== 'string') throw notUnderstood();
  return { owner_id, roles: rolesIn(guildId, roles) };
}

interface WriteDesk {
  client: DiscordClient;
  refusals: Refusals;
  checks: WriteChecks;
}

type Change = { kind: 'add' | 'remove'; roleId: string };

const maxTries = 4;

/** The progress of a member's write, over all attempts. */
interface Progress {
  held: readonly string[];
  calls: number;
}

/**
 * Writes the changes of one member, reads the member back, and repeats what Discord lost. Roles that Discord refuses are left out, and the
 * others are written.
 */
async function writeMember(desk: WriteDesk, wanted: MemberWrite, signal?: AbortSignal): Promise<WriteOutcome> {
  const progress: Progress = { held: wanted.held, calls: 0 };
  const refused: Forbidden[] = [];
  for (let write = wanted; ; ) {
    const roleIds = [...write.add, ...write.remove];
    const outcome =
      desk.refusals.find(write.communityId, roleIds) ?? (await tryOnce(desk, write, progress, roleIds, signal));
    if (outcome.kind === 'again') continue;
    if (outcome.kind === 'written') return { ...outcome, ...(refused.length > 0 && { refused }) };
    if (outcome.kind !== 'forbidden') return outcome;
    const rest = without(write, outcome);
    if (rest === undefined) return outcome;
    refused.push(outcome);
    write = rest;
  }
}

/** Returns the write without the one role that was refused; undefined if nothing else is left, or if more than a role is refused. */
function without(write: MemberWrite, { roleId, scope = 'role' }: Forbidden): MemberWrite | undefined {
  if (scope !== 'role' || roleId === undefined) return undefined;
  const isOther = (id: string) => id !== roleId;
  const rest = { ...write, add: write.add.filter(isOther), remove: write.remove.filter(isOther) };
  const left = rest.add.length + rest.remove.length;
  return left === 0 || left === write.add.length + write.remove.length ? undefined : rest;
}

async function tryOnce(
  desk: WriteDesk,
  write: MemberWrite,
  progress: Progress,
  roleIds: readonly string[],
  signal?: AbortSignal,
): Promise<WriteOutcome | { kind: 'again' }> {
  try {
    return await desk.refusals.watch(write.communityId, roleIds, signal, (stop) =>
      writeAndCheck(desk, write, progress, stop),
    );
  } catch (error) {
    if (error instanceof PlatformFailed) return failed(error);
    if (!(error instanceof Suspicion)) throw error;
    const outcome = await error.explanation;
    return concerns(outcome, roleIds) ? outcome : { kind: 'again' };
  }
}

async function writeAndCheck(
  desk: WriteDesk,
  write: MemberWrite,
  progress: Progress,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const { communityId, userId } = write;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const problem = await desk.checks.during(communityId, () => send(desk, write, progress, signal));
    if (problem !== undefined) return problem;
    const member = await desk.checks.read(communityId, userId);
    if (member === undefined) return { kind: 'gone' };
    const { calls } = progress;
    if (changesOf(write, member.roles).length === 0) return { kind: 'written', roleIds: member.roles, calls };
    progress.held = member.roles;
  }
  const reason = 'Discord reported that the roles were changed, but they were not.';
  return { kind: 'failed', reason, retryAfterSeconds: 30 };
}

function changesOf({ add, remove }: MemberWrite, held: readonly string[]): Change[] {
  return [
    ...add.filter((roleId) => !held.includes(roleId)).map((roleId): Change => ({ kind: 'add', roleId })),
    ...remove.filter((roleId) => held.includes(roleId)).map((roleId): Change => ({ kind: 'remove', roleId })),
  ];
}

/** Sends the changes. Returns the obstacle, if any. */
async function send(
  desk: WriteDesk,
  write: MemberWrite,
  progress: Progress,
  signal: AbortSignal,
): Promise<WriteOutcome | undefined> {
  const { held } = progress;
  const changes = changesOf(write, held);
  if (changes.length < 2) return sendSingly(desk, write, changes, progress, signal);
  // Writing the first role alone makes the list trustworthy; the rest then goes together.
  if (held.length === 0 && changes.length > 2) return sendSingly(desk, write, changes.slice(0, 1), progress, signal);
  const member = await readMember(desk.client, write.communityId, write.userId, { priority: 'write', signal });
  if (member === undefined) return { kind: 'gone' };
  if (canReplace(held, member)) return sendTogether(desk, write, changes, progress, signal);
  progress.held = member.roles;
  return sendSingly(desk, write, changesOf(write, member.roles), progress, signal);
}

/**
 * Replacing the whole list is one call, but it removes everything that is not on the list. So it is done only for a list that two reads
 * agree on, and never for an empty one: Discord has been seen to return no roles for members that had some.
 */
function canReplace(held: readonly string[], { roles }: DiscordMemberObject): boolean {
  return held.length > 0 && held.length === roles.length && held.every((roleId) => roles.includes(roleId));
}

async function sendTogether(
  desk: WriteDesk,
  write: MemberWrite,
  changes: readonly Change[],
  progress: Progress,
  signal: AbortSignal,
): Promise<WriteOutcome | undefined> {
  const roles = changes.reduce(apply, progress.held);
  const path = `/guilds/${write.communityId}/members/${write.userId}` as const;
  const problem = await call(desk, write, changes, signal, (sent) =>
    desk.client.call('PATCH', path, { ...sent, body: { roles: [...roles] } }),
  );
  if (problem === undefined) note(progress, changes);
  return problem;
}

async function sendSingly(
  desk: WriteDesk,
  write: MemberWrite,
  changes: readonly Change[],
  progress: Progress,
  signal: AbortSignal,
): Promise<WriteOutcome | undefined> {
  for (const change of changes) {
    const path = `/guilds/${write.communityId}/members/${write.userId}/roles/${change.roleId}` as const;
    const method = change.kind === 'add' ? 'PUT' : 'DELETE';
    const problem = await call(desk, write, [change], signal, (sent) => desk.client.call(method, path, sent));
    if (problem !== undefined) return problem;
    note(progress, [change]);
  }
  return undefined;
}

/** Records the changes of one successful call. */
function note(progress: Progress, changes: readonly Change[]): void {
  progress.calls += 1;
  progress.held = changes.reduce(apply, progress.held);
}

function apply(held: readonly string[], { kind, roleId }: Change): readonly string[] {
  return kind === 'add' ? [...held, roleId] : held.filter((id) => id !== roleId);
}

/** Makes one call. Returns the obstacle, if any. */
async function call(
  { client, refusals }: WriteDesk,
  { communityId, reason }: MemberWrite,
  changes: readonly Change[],
  signal: AbortSignal,
  send: (sent: Pick<DiscordCall, 'reason' | 'priority' | 'signal' | 'onRefused'>) => Promise<DiscordAnswer>,
): Promise<WriteOutcome | undefined> {
  const roleIds = changes.map(({ roleId }) => roleId);
  let explanation: Promise<Forbidden> | undefined;
  const answer = await send({
    reason,
    priority: 'write',
    signal,
    onRefused: (refusal) => {
      if (isNoMember(refusal)) return;
      explanation = explainRefusal(client, communityId, refusal, roleIds);
      refusals.suspect(communityId, roleIds, explanation);
    },
  });
  if (answer.kind === 'ok') return undefined;
  if (answer.kind === 'unavailable')
    return { kind: 'failed', reason: answer.reason, retryAfterSeconds: answer.retryAfterSeconds };
  if (isNoMember(answer)) return { kind: 'gone' };
  const outcome = await (explanation ?? explainRefusal(client, communityId, answer, roleIds));
  refusals.add(communityId, outcome);
  return outcome;
}

function failed(error: PlatformFailed): WriteOutcome {
  if (error.kind !== 'unavailable')
    return { kind: 'forbidden', scope: 'community', fault: 'no-access', advice: error.message };
  return {
    kind: 'failed',
    reason: error.message,
    ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
  };
}

/**
 * Finds out what Discord forbade, and explains it so that an admin can act on it. A refusal that names no role does not say which of
 * several changes it is about.
 */
async function explainRefusal(
  client: DiscordClient,
  guildId: string,
  refusal: Refused,
  roleIds: readonly string[],
): Promise<Forbidden> {
  const { code, status, message } = refusal;
  if (code === codes.unknownGuild || code === codes.missingAccess)
    return {
      kind: 'forbidden',
      scope: 'community',
      fault: 'no-access',
      advice: 'The bot is no longer in the Discord server. Invite it again.',
    };
  if (status === 401) return { kind: 'forbidden', scope: 'community', fault: 'no-access', advice: message };
  const scene = await readScene(client, guildId).catch(() => undefined);
  const fault =
    scene &&
    (findDiscordBotFault(scene) ??
      roleIds.map((roleId) => findDiscordRoleFault(scene, roleId)).find((found) => found && found.fault !== 'ruling'));
  if (fault !== undefined) return { kind: 'forbidden', ...fault };
  return { kind: 'forbidden', advice: adviceFor(refusal), ...(aboutRoles.has(code) ? onlyOne(roleIds) : {}) };
}

/** Refusals caused by the role, for every member. */
const aboutRoles: ReadonlySet<number> = new Set([
  codes.missingPermissions,
  codes.unknownRole,
  codes.invalidRole,
  codes.invalidForm,
]);

function onlyOne(roleIds: readonly string[]): { roleId?: string } {
  const [roleId] = roleIds;
  return roleIds.length === 1 && roleId !== undefined ? { roleId } : {};
}

function adviceFor({ code, message }: Refused): string {
  if (code === codes.missingPermissions)
    return 'Discord does not allow the bot to change this role. Give it the Manage Roles permission and move its role above the roles it gives.';
  if (code === codes.unknownRole || code === codes.invalidRole)
    return 'The role no longer exists in the Discord server. Choose another role in the rule.';
  return `Discord rejected the change: ${message}`;
}
