import { isObject } from '@latchkey/kernel';
import { countQueued } from '../../communities/reconcile-queue/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import { type ReasonNames, reasonInWords } from '../../gating/evaluation/index.ts';
import { nameReasons } from '../../gating/naming/index.ts';
import { type ChangeSetRow, countOpenWrites, listChangeSets, selectLedger } from '../../gating/role-changes/index.ts';
import { walletsOfUsers } from '../../identity/wallets/index.ts';
import type { PlaygroundGuild, PlaygroundWorld } from '../../ports/index.ts';
import { type EventRow, listLog } from '../../services/event-log/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';
import { choiceOf } from './rules.ts';
import type { Playground } from './shapes.ts';

const mostChangeSets = 5;
const mostEvents = 15;

/** Returns what a reader sees: roles as Discord has them, holdings as the chain has them, and the rest from the database. */
export async function describePlayground(
  ctx: Context,
  { world, guild, expiresAt }: { world: PlaygroundWorld; guild: PlaygroundGuild; expiresAt: Date },
): Promise<Playground> {
  const { system } = ctx.db;
  const id = communityKey('discord', guild.guildId);
  const users = guild.members.map(({ userId }) => userKey('discord', userId));
  const [linked, rules, { items: changeSets }, log, ledger, writes, queued] = await Promise.all([
    walletsOfUsers(system, users),
    selectRules(system, id),
    listChangeSets(contextFor(ctx, { kind: 'system', job: 'playgrounds' }), id),
    listLog(ctx, id, { limit: mostEvents }),
    selectLedger(system, id, {}, undefined, 2 * mostEvents),
    countOpenWrites(system, id),
    countQueued(system, id, ctx.clock()),
  ]);
  const rule = rules.find(({ role_id }) => role_id === guild.roles.holder);
  // The name of a rule says what it asks for now, which is not what it asked for when an earlier role was granted.
  const names = { ...(await nameReasons(ctx, { roles: rolesOf(guild), rules })), rule: () => undefined };
  const reasons = new Map(
    ledger.map(({ change_set_id, user_id, role_id, reason }) => [
      `${change_set_id}/${user_id}/${role_id}`,
      reasonInWords(reason, names, { member: nameOf(guild, user_id), showsAmounts: true }),
    ]),
  );
  return {
    expiresTime: expiresAt.toISOString(),
    isWorking: writes.size > 0 || queued.is_everyone || queued.due > 0,
    members: guild.members.map(({ userId, name, address }) => {
      const { roles, holds } = world.read(guild.guildId, userId);
      return { name, address, isLinked: linked.has(userKey('discord', userId)), ...holds, roles };
    }),
    rule: {
      choice: choiceOf(nameIn(rule?.definition)),
      name: nameIn(rule?.definition) ?? '',
      definition: rule?.definition ?? {},
    },
    changeSets: changeSets.slice(0, mostChangeSets).map(toChangeSet),
    events: log.map((event) => toEvent(event, guild, names, reasons)),
  };
}

const undoable: readonly ChangeSetRow['status'][] = ['approved', 'applying', 'done', 'failed'];

/** Only what an admin decided is offered: an undo of what the rules decide would be repeated by the next check. */
export function canUndo({ status, undoes, decided_by }: ChangeSetRow): boolean {
  return undoes === null && decided_by !== null && undoable.includes(status);
}

function toChangeSet(row: ChangeSetRow): Playground['changeSets'][number] {
  const { id, status, grants, revokes, note, undoes } = row;
  return {
    id,
    status,
    grants,
    revokes,
    isUndo: undoes !== null,
    canUndo: canUndo(row),
    ...(note !== null && { note }),
  };
}

function toEvent(
  { id, type, body, created_at }: EventRow,
  guild: PlaygroundGuild,
  names: ReasonNames,
  reasons: ReadonlyMap<string, string[]>,
): Playground['events'][number] {
  // Our own text, in the form that webhooks get.
  const { data } = JSON.parse(body) as { data: { userId?: string; roleId?: string; changeSetId?: string } };
  const reason = reasons.get(`${data.changeSetId}/${data.userId}/${data.roleId}`);
  return {
    id,
    time: created_at.toISOString(),
    type,
    ...(data.userId !== undefined && { member: nameOf(guild, data.userId) }),
    ...(data.roleId !== undefined && { role: names.role(data.roleId) }),
    ...(reason !== undefined && { reasons: reason }),
  };
}

function rolesOf({ roles }: PlaygroundGuild): ReadonlyMap<string, { name: string }> {
  return new Map([
    [roles.holder, { name: 'Holder' }],
    [roles.collector, { name: 'Collector' }],
  ]);
}

function nameOf({ members }: PlaygroundGuild, user: string): string {
  return members.find(({ userId }) => userKey('discord', userId) === user)?.name ?? 'owner';
}

function nameIn(definition: unknown): string | undefined {
  return isObject(definition) && typeof definition.name === 'string' ? definition.name : undefined;
}
