import { type Actor, isObject } from '@latchkey/kernel';
import { readPlatformRoles } from '../../../communities/community/index.ts';
import type { CommunityRow } from '../../../communities/community-records/index.ts';
import { selectMembers } from '../../../communities/memberships/index.ts';
import { selectRules } from '../../../communities/rule-records/index.ts';
import type { Context } from '../../../shared/context.ts';
import { type ReasonLine, type ReasonNames, reasonInLines, reasonInWords } from '../../evaluation/index.ts';
import { nameReasons, plainName } from '../../naming/index.ts';
import { hideAddresses } from '../../rules/index.ts';

/** Display names for the members, roles and rules in a response, where known. */
export interface Names {
  userName(userId: string): string | undefined;
  roleName(roleId: string): string | undefined;
  ruleName(ruleId: string): string | undefined;
  /** A reason as the caller may see it, with rule names. */
  reason(userId: string, reason: unknown): Record<string, unknown>;
  /** The same reason for people: as sentences, and as a tree with one condition per line. */
  words(userId: string, reason: unknown): { words: string[]; lines: ReasonLine[] };
  /** A change set's note with role names in place of ids. */
  note(note: string): string;
}

export type UserNames = Pick<Names, 'userName'>;

export async function readUserNames(
  { db }: Pick<Context, 'db'>,
  { id }: Pick<CommunityRow, 'id'>,
  userIds: readonly (string | null)[],
): Promise<UserNames> {
  const wanted = new Set(userIds.filter((userId) => userId !== null));
  const members = wanted.size === 0 ? [] : await selectMembers(db.system, id, [...wanted]);
  const names = new Map(members.map(({ user_id, user_name }) => [user_id, user_name]));
  return { userName: (userId) => names.get(userId) ?? undefined };
}

type NameContext = Pick<Context, 'actor' | 'clock' | 'db' | 'hosts' | 'log' | 'tokenMetadata'>;

export async function readNames(
  ctx: NameContext,
  community: CommunityRow,
  userIds: readonly (string | null)[],
): Promise<Names> {
  const [roles, { userName }, rules] = await Promise.all([
    readPlatformRoles(ctx, community),
    readUserNames(ctx, community, userIds),
    selectRules(ctx.db.system, community.id),
  ]);
  const called = await nameReasons(ctx, { roles, rules });
  const ruleNames = new Map(rules.map(({ id, definition }) => [id, definition.name]));
  return {
    userName,
    roleName: (roleId) => roles.get(roleId)?.name,
    ruleName: (ruleId) => {
      const name = ruleNames.get(ruleId);
      return typeof name === 'string' ? name : undefined;
    },
    reason: (userId, reason) => {
      const shown = showsAddressesOf(ctx.actor, userId) ? reason : hideAddresses(reason);
      return isObject(shown) ? { ...shown, ...nameRules(shown.rules, ruleNames) } : {};
    },
    words: (userId, reason) => {
      const isSelf = ctx.actor.kind === 'user' && ctx.actor.userId === userId;
      const member = plainName(userName(userId) ?? '') || 'The member';
      const reader = isSelf ? 'self' : { member, showsAmounts: showsAddressesOf(ctx.actor, userId) };
      return { words: reasonInWords(reason, called, reader), lines: reasonInLines(reason, called, reader) };
    },
    note: (note) => nameRolesIn(note, roles.keys(), called),
  };
}

function nameRolesIn(note: string, roleIds: Iterable<string>, names: ReasonNames): string {
  return [...roleIds].reduce(
    (text, id) => text.replaceAll(`the role ${id} `, () => `the role ${names.role(id)} `),
    note,
  );
}

function nameRules(rules: unknown, names: ReadonlyMap<string, unknown>): { rules?: unknown[] } {
  if (!Array.isArray(rules)) return {};
  const name = (rule: unknown) => {
    const known = isObject(rule) ? names.get(String(rule.id)) : undefined;
    return isObject(rule) && typeof known === 'string' ? { ...rule, name: known } : rule;
  };
  return { rules: rules.map(name) };
}

/** Members prove wallets to this server, not to the admins of their communities. */
function showsAddressesOf(actor: Actor, userId: string): boolean {
  return actor.kind === 'user' ? actor.userId === userId : actor.kind === 'admin' || actor.kind === 'system';
}
