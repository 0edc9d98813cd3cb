import { type CommunityRow, type CommunityRuleRow, nativeUserId } from '../../communities/communities/index.ts';
import type { RoleReason } from '../judging/index.ts';
import type { LookedMember } from '../role-plans/index.ts';
import { type Reason, walletNamespaceOf } from '../rules/index.ts';
import type { TokenGrantedRole, UserRoleAssignments } from './role-check.ts';

/** What is the same for every member of an answer. */
export interface Frame {
  community: CommunityRow;
  rules: readonly CommunityRuleRow[];
  roleNames: ReadonlyMap<string, string>;
}

const mostListed = 200;

/** One member's check in the words of the API. Without addresses a wallet is called by its namespace alone. */
export function toAssignments(
  { community, rules, roleNames }: Frame,
  member: LookedMember,
  showsAddresses: boolean,
): UserRoleAssignments {
  const { row, verdicts, wallets } = member;
  const failed = verdicts.filter(({ truth }) => truth === 'unknown');
  const differing = verdicts.filter(
    ({ truth, roleId }) => truth !== 'unknown' && (truth === 'true') !== row.role_ids.includes(roleId),
  );
  const results = verdicts
    .flatMap(({ reason }) => reasonOf(reason).rules)
    .map(({ id, truth, reason }) => ({ id, truth, reason: showsAddresses ? reason : reason && hideAddresses(reason) }));
  return {
    consistent: differing.length === 0,
    user: infoOf(community, row.user_id),
    roles: verdicts.map(({ roleId, truth }) => ({
      id: roleId,
      name: roleNames.get(roleId),
      current: row.role_ids.includes(roleId),
      expected: truth === 'unknown' ? undefined : truth === 'true',
    })),
    errors: [...new Set(failed.flatMap(({ reason }) => problemsOf(reasonOf(reason))))].slice(0, mostListed),
    rolesFailed: failed.map(({ roleId }) => roleId).slice(0, mostListed),
    accounts: wallets
      .map(({ namespace, address }) => (showsAddresses ? `${namespace}:${address}` : namespace))
      .slice(0, mostListed),
    assets: results.flatMap(({ reason }) => (reason === undefined ? [] : readingsOf(reason))).slice(0, mostListed),
    rules: rules.map((rule) => toRule(community, rule)),
    currentRoles: row.role_ids.slice(0, mostListed),
    rolesToApply: {
      add: differing.filter(({ truth }) => truth === 'true').map(({ roleId }) => roleId),
      remove: differing.filter(({ truth }) => truth === 'false').map(({ roleId }) => roleId),
    },
    resultsByRule: Object.fromEntries(
      results.map(({ id, truth, reason }) => [id, { granted: truth === 'unknown' ? null : truth === 'true', reason }]),
    ),
  };
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

// Verdicts carry their reasons as JSON; those of gating are of this one shape.
function reasonOf(reason: unknown): RoleReason {
  return reason as RoleReason;
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

function hideAddresses(reason: Reason): Reason {
  if (reason.kind !== 'leaf') return { ...reason, parts: reason.parts.map(hideAddresses) };
  const readings = reason.readings.map(({ vault: _vault, ...reading }) => ({
    ...reading,
    wallet: walletNamespaceOf(reading.chain),
  }));
  return { ...reason, readings };
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
