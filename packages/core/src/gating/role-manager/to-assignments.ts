import { type CommunityRow, type CommunityRuleRow, nativeUserId } from '../../communities/communities/index.ts';
import type { RoleReason } from '../judging/index.ts';
import type { LookedMember } from '../role-plans/index.ts';
import { hideAddresses, type Reason } from '../rules/index.ts';
import type { TokenGrantedRole, UserRoleAssignments } from './role-check.ts';

/** What is the same for every member of an answer. */
export interface Frame {
  community: CommunityRow;
  rules: readonly CommunityRuleRow[];
  roles: ReadonlyMap<string, { name: string }>;
}

/** As many as the schema of each list allows. */
const most = { errors: 200, accounts: 200, assets: 1_000, roles: 200 };

/** One member's check in the words of the API. Without addresses a wallet is called by its namespace alone. */
export function toAssignments(
  { community, rules, roles }: Frame,
  member: LookedMember,
  showsAddresses: boolean,
): UserRoleAssignments {
  const { row, verdicts, wallets } = member;
  const failed = verdicts.filter(({ truth }) => truth === 'unknown');
  const differing = verdicts.filter(
    ({ truth, roleId }) => truth !== 'unknown' && (truth === 'true') !== row.role_ids.includes(roleId),
  );
  const results = verdicts
    .flatMap(({ reason }) => reason.rules)
    .map(({ id, truth, reason }) => ({ id, truth, reason: showsAddresses ? reason : reason && hideAddresses(reason) }));
  const cuts: string[] = [];
  const fit = <Item>(items: readonly Item[], limit: number, what: string): Item[] => {
    if (items.length > limit) cuts.push(describeCut(limit, items.length, what));
    return items.slice(0, limit);
  };
  const lists = {
    rolesFailed: fit(
      failed.map(({ roleId }) => roleId),
      most.roles,
      'roles that could not be decided',
    ),
    accounts: fit(
      wallets.map(({ namespace, address }) => (showsAddresses ? `${namespace}:${address}` : namespace)),
      most.accounts,
      'accounts',
    ),
    assets: fit(
      results.flatMap(({ reason }) => (reason === undefined ? [] : readingsOf(reason))),
      most.assets,
      'readings',
    ),
    currentRoles: fit(row.role_ids, most.roles, 'current roles'),
  };
  const problems = [...new Set(failed.flatMap(({ reason }) => problemsOf(reason)))];
  return {
    consistent: differing.length === 0,
    user: infoOf(community, row.user_id),
    roles: verdicts.map(({ roleId, truth }) => ({
      id: roleId,
      name: roles.get(roleId)?.name,
      current: row.role_ids.includes(roleId),
      expected: truth === 'unknown' ? undefined : truth === 'true',
    })),
    ...lists,
    errors: noteCuts(problems, cuts),
    rules: rules.map((rule) => toRule(community, rule)),
    rolesToApply: {
      add: differing.filter(({ truth }) => truth === 'true').map(({ roleId }) => roleId),
      remove: differing.filter(({ truth }) => truth === 'false').map(({ roleId }) => roleId),
    },
    resultsByRule: Object.fromEntries(
      results.map(({ id, truth, reason }) => [id, { granted: truth === 'unknown' ? null : truth === 'true', reason }]),
    ),
  };
}

/** Says that a list of an answer does not hold everything. */
function describeCut(listed: number, all: number, what: string): string {
  return `Only ${listed.toLocaleString('en')} of ${all.toLocaleString('en')} ${what} are listed.`;
}

/** Sentences about what could not be found out, and at their end about what is missing from the answer. */
export function noteCuts(problems: readonly string[], cuts: readonly string[]): string[] {
  return [...problems.slice(0, most.errors - cuts.length), ...cuts];
}

function infoOf(community: CommunityRow, userId: string): NonNullable<UserRoleAssignments['user']> {
  const { serverImage } = community.profile;
  return {
    communityId: community.id,
    userId,
    memberId: nativeUserId(community.platform, userId),
    guildId: community.community_id,
    communityName: community.name,
    communityIcon: typeof serverImage === 'string' ? serverImage : undefined,
  };
}

function problemsOf({ rules, compositions }: RoleReason): string[] {
  const problems = rules.flatMap(({ problem, reason }) => problem ?? (reason === undefined ? [] : notesOf(reason)));
  return problems.length > 0 || compositions === undefined
    ? problems
    : ['The roles that this role depends on could not be decided.'];
}

function notesOf(reason: Reason): string[] {
  if (reason.truth !== 'unknown') return [];
  if (reason.kind !== 'leaf') return reason.parts.flatMap(notesOf);
  return [reason.note, ...reason.readings.map(({ note }) => note)].filter((note) => note !== undefined);
}

function readingsOf(reason: Reason): Record<string, unknown>[] {
  if (reason.kind !== 'leaf') return reason.parts.flatMap(readingsOf);
  return reason.readings.map(({ wallet, vault, chain, block, value }) => ({
    asset: reason.asset,
    account: vault ?? wallet,
    chain,
    block,
    balance: value,
  }));
}

function toRule(community: CommunityRow, { id, role_id, definition, created_at }: CommunityRuleRow): TokenGrantedRole {
  const textOf = (field: string) => (typeof definition[field] === 'string' ? String(definition[field]) : undefined);
  const { variables, requiresMetadata } = definition;
  return {
    id,
    createdTime: created_at.toISOString(),
    pk: community.id,
    sk: id,
    classifier: 'TPC',
    classifierGroup: 'TPC',
    name: textOf('name'),
    description: textOf('description'),
    scheme: textOf('scheme') ?? textOf('type'),
    roleId: role_id,
    asset: textOf('asset'),
    query: textOf('query'),
    variables: isObject(variables) ? variables : undefined,
    requiresMetadata: typeof requiresMetadata === 'boolean' ? requiresMetadata : undefined,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
