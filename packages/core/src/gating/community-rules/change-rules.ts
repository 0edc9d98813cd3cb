import { isDeepStrictEqual } from 'node:util';
import { type Sql, sql, type Tx } from '@latchkey/db';
import { AppError, notFound } from '@latchkey/kernel';
import { refuseBadRoles } from '../../communities/community/index.ts';
import { requireFeature } from '../../communities/community-plans/index.ts';
import { getCommunity, lockOwnCommunity, selectCommunity } from '../../communities/community-records/index.ts';
import { refuseLocked } from '../../communities/managed-rules/index.ts';
import { selectMembers } from '../../communities/memberships/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import {
  type CommunityRuleRow,
  definitionOf,
  endRetirement,
  type GivenRule,
  insertRule,
  maxRules,
  type RuleDefinition,
  type RuleVisibility,
  ruleIdOf,
  selectRule,
  selectRuleIds,
  type TokenPermissionedChat,
  toRule,
  updateRule,
} from '../../communities/rule-records/index.ts';
import { nameInAudit } from '../../services/audit/index.ts';
import { appendEvents } from '../../services/event-log/index.ts';
import type { Context } from '../../shared/context.ts';
import { refuse } from '../../shared/refuse.ts';
import { noteTokens } from '../evm/index.ts';
import { plainName } from '../naming/index.ts';
import { refuseBroken } from '../rule-assertions/index.ts';
import { recheckRule, refuseUndecidable } from '../rule-health/index.ts';
import { assetLeavesOf, type Rule, readRule } from '../rules/index.ts';
import { describeIdentical, findIdentical } from './identical-rules.ts';
import { refuseMisspelled } from './refuse-misspelled.ts';

type RuleContext = Pick<Context, 'actor' | 'clock' | 'random' | 'tx' | 'warn'>;

/**
 * Refuses a rule with a role that the bot cannot grant or that has moderation permissions, with a misspelled contract
 * or one of another standard, or that can never be decided here.
 */
export async function refuseBadRule(ctx: Context, { id, body }: { id: string; body: GivenRule }): Promise<void> {
  const { rule, roleId, composedRoleId, tokens } = check(body);
  refuseMisspelled(ctx, body);
  await refuseUnpaid(ctx, id, tokens);
  await refuseUndecidable(ctx, rule, placeOfAsset(body));
  await refuseBadRoles(ctx, id, [
    { roleId, path: '/roleId' },
    ...(composedRoleId === undefined ? [] : [{ roleId: composedRoleId, path: '/variables/roleComposition/roleId' }]),
  ]);
}

/**
 * The same for a rule that replaces another. If that one does not exist, this is reported first, whatever the body
 * contains.
 */
export async function refuseBadReplacement(
  ctx: Context,
  { id, tpcId, body }: { id: string; tpcId: string; body: GivenRule },
): Promise<void> {
  const community = await selectCommunity(ctx.db.system, id);
  const before = community && (await selectRule(ctx.db.system, community.id, tpcId));
  if (before === undefined) throw notFound('rule');
  await refuseBadRule(ctx, { id, body });
}

/** Existing rules stay in effect when a subscription plan ends; new and changed rules need one. */
async function refuseUnpaid(ctx: Context, id: string, tokens: Checked['tokens']): Promise<void> {
  if (!tokens.some(({ chain }) => chain === 'twitter:twitter')) return;
  const community = await selectCommunity(ctx.db.system, id);
  if (community !== undefined) await requireFeature(ctx, community.id, 'TWITTER_TGR');
}

/** The path of the asset in a rule; in a tree of rules it is nested deeper. */
function placeOfAsset({ contractAddress, asset }: GivenRule): string {
  if (contractAddress !== undefined) return '/contractAddress';
  return asset === undefined ? '/variables' : '/asset';
}

/** Creates a rule and queues a check of the members. A duplicate is allowed, because clients may rely on it. */
export async function createRule(
  ctx: RuleContext,
  wanted: { id: string; body: GivenRule },
): Promise<TokenPermissionedChat> {
  const onIdentical = (existing: CommunityRuleRow) => ctx.warn?.(describeIdentical(existing));
  return toRule(await insertNewRule(ctx, { ...wanted, onIdentical }));
}

interface NewRule {
  id: string;
  body: GivenRule;
  visibility?: RuleVisibility | undefined;
  /** Called if the community already has a rule with the same conditions and role; what it throws refuses the new one. */
  onIdentical?: (existing: CommunityRuleRow) => void;
}

/** The same, with options that the published API does not have. */
export async function insertNewRule(
  ctx: RuleContext,
  { id, body, visibility = 'public', onIdentical }: NewRule,
): Promise<CommunityRuleRow> {
  const checked = check(body);
  return ctx.tx(async (tx) => {
    const community = await lockOwnCommunity(tx, id);
    await refuseLocked(tx, community.id);
    const identical = onIdentical && (await findIdentical(tx, community.id, checked));
    if (identical !== undefined) onIdentical?.(identical);
    const { row } = await insertRuleIn(ctx, tx, community.id, { body, visibility });
    await refuseBroken(tx, community.id);
    return row;
  });
}

/** A rule as it is now, and its entry in the history; undefined if nothing changed. */
interface Written {
  row: CommunityRuleRow;
  changeId: string | undefined;
}

/** The same in a transaction that holds the community lock. */
export async function insertRuleIn(
  ctx: Pick<Context, 'actor' | 'clock' | 'random'>,
  tx: Tx,
  communityId: string,
  { body, visibility }: { body: GivenRule; visibility: RuleVisibility },
): Promise<Written> {
  const checked = check(body);
  const taken = await selectRuleIds(tx, communityId);
  if (taken.size >= maxRules)
    throw new AppError(
      'PLAN_LIMIT_REACHED',
      `A community can have at most ${maxRules} rules. Remove one you no longer need.`,
    );
  const now = ctx.clock();
  const row: CommunityRuleRow = {
    id: ruleIdOf(checked.definition, checked.roleId, taken),
    community_id: communityId,
    role_id: checked.roleId,
    definition: checked.definition,
    visibility,
    created_at: now,
    updated_at: now,
  };
  await insertRule(tx, row);
  const changeId = await recordRuleChange(ctx, tx, { after: row });
  await follow(ctx, tx, row, checked, { changeId });
  return { row, changeId };
}

/** Replaces a rule and keeps its id. */
export async function replaceRule(
  ctx: RuleContext,
  wanted: { id: string; tpcId: string; body: GivenRule },
): Promise<void> {
  await rewriteRule(ctx, wanted);
}

interface Rewrite {
  id: string;
  tpcId: string;
  body: GivenRule;
  /** Unchanged if absent. */
  visibility?: RuleVisibility | undefined;
  /** If given and the rule was changed since, the change is refused. */
  updatedTime?: string | undefined;
}

/** The same, with options that the published API does not have. */
export async function rewriteRule(
  ctx: RuleContext,
  { id, tpcId, body, visibility, updatedTime }: Rewrite,
): Promise<CommunityRuleRow> {
  return ctx.tx(async (tx) => {
    const { id: community_id } = await lockOwnCommunity(tx, id);
    await refuseLocked(tx, community_id);
    const before = await selectRule(tx, community_id, tpcId);
    if (before === undefined) throw notFound('rule');
    if (updatedTime !== undefined && before.updated_at.toISOString() !== updatedTime)
      throw await changedMeanwhile(tx, before);
    const { row } = await rewriteRuleIn(ctx, tx, before, { body, visibility: visibility ?? before.visibility });
    await refuseBroken(tx, community_id);
    return row;
  });
}

/** The same in a transaction that holds the community lock. */
export async function rewriteRuleIn(
  ctx: Pick<Context, 'actor' | 'clock' | 'random'>,
  tx: Tx,
  before: CommunityRuleRow,
  { body, visibility }: { body: GivenRule; visibility: RuleVisibility },
): Promise<Written> {
  const checked = check(body);
  const after: CommunityRuleRow = {
    ...before,
    role_id: checked.roleId,
    definition: checked.definition,
    visibility,
    updated_at: ctx.clock(),
  };
  await updateRule(tx, after);
  const changeId = await recordRuleChange(ctx, tx, { before, after });
  await follow(ctx, tx, after, checked, { changeId, formerRoleId: before.role_id });
  return { row: after, changeId };
}

async function changedMeanwhile(tx: Tx, { community_id, id }: CommunityRuleRow): Promise<AppError> {
  const [last] = await listRuleChanges(tx, community_id, id, undefined, 1);
  const [author] = last === undefined ? [] : await selectMembers(tx, community_id, [last.changed_by]);
  const name = plainName(author?.user_name ?? '') || 'Another admin';
  return new AppError(
    'STATE_CONFLICT',
    `${name} changed this rule after you opened it. Reload it to see their version, then make your change.`,
  );
}

interface Checked {
  rule: Rule;
  definition: RuleDefinition;
  roleId: string;
  /** The role that a role composition grants or removes. */
  composedRoleId: string | undefined;
  tokens: { chain: string; standard: string; contract: string }[];
}

export function check(body: GivenRule): Checked {
  const definition = definitionOf(body);
  const rule = readRule(definition);
  const { condition } = rule;
  const composed = condition.kind === 'composition' ? condition.composition.roleId : undefined;
  const roleId = definition.roleId ?? composed;
  // Role ids become part of API paths on the platform, so a slash must not get through.
  if (roleId === undefined || !/^[-\w.:@!~+=]{1,100}$/.test(roleId))
    throw refuse('/roleId', 'must be the id of a role on the platform');
  const tokens = assetLeavesOf(rule).map(({ asset }) => ({ ...asset, contract: asset.reference }));
  return { rule, definition, roleId, composedRoleId: composed, tokens };
}

/**
 * Applies the consequences of a rule change in the same transaction: stores its tokens, and queues checks of the rule
 * and the members.
 */
export async function follow(
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  { id: ruleId, community_id: communityId }: Pick<CommunityRuleRow, 'id' | 'community_id'>,
  { roleId, composedRoleId, tokens }: Checked,
  { changeId, formerRoleId }: { changeId: string | undefined; formerRoleId?: string | undefined },
): Promise<void> {
  await noteTokens(tx, tokens, ctx.clock());
  await recheckRule(tx, { communityId, ruleId }, ctx.clock());
  const roleIds = [...new Set([roleId, composedRoleId, formerRoleId])].filter((id) => id !== undefined);
  const ruleChangeIds = changeId === undefined ? [] : [changeId];
  // From now on the rule decides this role.
  await endRetirement(tx, communityId, roleIds);
  await enqueueReconcile(tx, { communityId, members: '*', cause: 'rule', roleIds, ruleChangeIds });
}

type Kept = Pick<CommunityRuleRow, 'id' | 'community_id' | 'role_id' | 'definition' | 'visibility'>;

/**
 * Records a rule before and after a change, in the same transaction, and reports it to programs. Returns the id of the
 * entry, or undefined if nothing changed.
 */
export async function recordRuleChange(
  ctx: Pick<Context, 'actor' | 'clock' | 'random'>,
  tx: Tx,
  { before, after }: { before?: Kept | undefined; after?: Kept },
): Promise<string | undefined> {
  const rule = after ?? before;
  const [former, present] = [before && stateOf(before), after && stateOf(after)];
  if (rule === undefined || isDeepStrictEqual(former, present)) return undefined;
  const action = former === undefined ? 'created' : present === undefined ? 'removed' : 'changed';
  const changedBy = nameInAudit(ctx.actor);
  const id = await insertRuleChange(tx, {
    community_id: rule.community_id,
    rule_id: rule.id,
    action,
    changed_by: changedBy,
    changed_at: ctx.clock(),
    before: former ?? null,
    after: present ?? null,
  });
  const community = await getCommunity(tx, rule.community_id);
  const data = { ruleId: rule.id, roleId: rule.role_id, changedBy };
  await appendEvents(ctx, tx, `rule.${action}`, [{ community, data }]);
  return id;
}

function stateOf({ role_id, definition, visibility }: Kept): RuleState {
  return { roleId: role_id, definition, visibility };
}

/** A rule at one point in time. */
export interface RuleState {
  roleId: string;
  definition: Record<string, unknown>;
  visibility: RuleVisibility;
}

export interface RuleChangeRow {
  id: string;
  community_id: string;
  rule_id: string;
  action: 'created' | 'changed' | 'removed';
  changed_by: string;
  changed_at: Date;
  before: RuleState | null;
  after: RuleState | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    community_rule_changes: RuleChangeRow;
  }
}

async function insertRuleChange(tx: Tx, row: Omit<RuleChangeRow, 'id'>): Promise<string> {
  const asJson = (state: RuleState | null) => (state === null ? null : JSON.stringify(state));
  const { rows } = await sql<{ id: string }>`
    insert into community_rule_changes (community_id, rule_id, action, changed_by, changed_at, before, after)
    values (${row.community_id}, ${row.rule_id}, ${row.action}, ${row.changed_by}, ${row.changed_at},
      ${asJson(row.before)}::jsonb, ${asJson(row.after)}::jsonb)
    returning id::text`.execute(tx);
  return rows[0]?.id ?? '';
}

/** Newest first, starting before `before`. */
export function listRuleChanges(
  db: Sql,
  communityId: string,
  ruleId: string,
  before: string | undefined,
  limit: number,
): Promise<RuleChangeRow[]> {
  return db
    .selectFrom('community_rule_changes')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('rule_id', '=', ruleId)
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

const mostChanges = 1_000;

/** Changes to all rules of a community in a time range, newest first. */
export function selectRuleChangesBetween(db: Sql, communityId: string, from: Date, to: Date): Promise<RuleChangeRow[]> {
  return db
    .selectFrom('community_rule_changes')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('changed_at', '>=', from)
    .where('changed_at', '<=', to)
    .orderBy('id', 'desc')
    .limit(mostChanges)
    .execute();
}
