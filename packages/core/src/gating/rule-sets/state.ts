import { createHash } from 'node:crypto';
import type { Sql } from '@latchkey/db';
import { isAble, isObject } from '@latchkey/kernel';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import { selectPasses } from '../../communities/guest-passes/index.ts';
import { type CommunityRuleRow, definitionOf, selectRules } from '../../communities/rule-records/index.ts';
import { type ApprovalPolicyBody, readOwnPolicy } from '../approval-policies/index.ts';
import { type RuleAssertion, selectAssertions, toAssertion } from '../rule-assertions/index.ts';
import { compositionOf, readSavedRule } from '../rules/index.ts';
import type { PassOfSet, RuleOfSet, RuleSetSettings } from './shapes.ts';

/** What a rule set contains, as it is stored. */
export interface RuleSetState {
  rows: CommunityRuleRow[];
  rules: RuleOfSet[];
  guestPasses: PassOfSet[];
  assertions: RuleAssertion[];
  settings: RuleSetSettings;
  brakes: ApprovalPolicyBody;
  /** A digest of the rules, passes, assertions and settings, and one of the brakes: the two are applied one after the other. */
  version: string;
  brakesVersion: string;
}

export async function readState(db: Sql, community: CommunityRow): Promise<RuleSetState> {
  const rows = await selectRules(db, community.id);
  const passes = isAble(community.platform, 'guestPasses') ? await selectPasses(db, community.id) : [];
  const { check_period_seconds: period } = community;
  const content = {
    rules: rows.map(({ id, role_id, definition, visibility }) => ({
      id,
      rule: { ...definitionOf(definition), roleId: role_id },
      visibility,
    })),
    guestPasses: passes.map(
      ({ id, name, description, role_set, period_seconds, status }): PassOfSet => ({
        id,
        name,
        ...(description !== null && description !== '' && { description }),
        roleIds: role_set.map((role) => role.id),
        periodSeconds: period_seconds,
        status,
      }),
    ),
    assertions: (await selectAssertions(db, community.id)).map(toAssertion),
    settings: period === null ? {} : { checkPeriodSeconds: period },
  };
  const brakes = await readOwnPolicy(db, community.id);
  return { rows, ...content, brakes, version: digest(content), brakesVersion: digest(brakes) };
}

function digest(value: unknown): string {
  return createHash('sha256').update(canonicalText(value)).digest('hex').slice(0, 32);
}

/** The same text for equal values, whatever the order of their keys. Fields without a value do not count. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isObject(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

/** The roles that a rule decides: its own, and that of its composition. */
export function rolesDecidedBy({ role_id, definition }: Pick<CommunityRuleRow, 'role_id' | 'definition'>): string[] {
  const composed = compositionIn(definition)?.roleId;
  return composed === undefined || composed === role_id ? [role_id] : [role_id, composed];
}

/** The composition of a stored rule; undefined for other rules, also for those that can no longer be read. */
export function compositionIn(definition: Record<string, unknown>) {
  try {
    return compositionOf(readSavedRule(definition));
  } catch {
    return undefined;
  }
}
