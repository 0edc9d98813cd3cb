import { type CommunityRuleRow, definitionOf, type GivenRule } from '../../communities/rule-records/index.ts';
import type { RuleAssertion } from '../rule-assertions/index.ts';
import { normalForm } from '../rule-files/index.ts';
import { matchRules } from './match.ts';
import type { PassOfSet, RuleOfSet, WantedRuleSet } from './shapes.ts';
import { canonicalText, compositionIn, type RuleSetState } from './state.ts';

type WantedRule = NonNullable<WantedRuleSet['rules']>[number];
type WantedPass = NonNullable<WantedRuleSet['guestPasses']>[number];

/** A wanted rule beside the existing one that it means. */
export interface RulePair {
  index: number;
  wanted: { body: GivenRule; roleId: string; visibility: CommunityRuleRow['visibility'] };
  /** The id that the rule was given with, and whether a rule has it. */
  id: string | undefined;
  isIdKnown: boolean;
  existing: CommunityRuleRow | undefined;
  /** The fields that differ; empty if the rule is as wanted. */
  fields: string[];
}

export interface PassPair {
  index: number;
  wanted: WantedPass;
  existing: PassOfSet | undefined;
  fields: string[];
}

/** A wanted assertion beside the existing one that it replaces. */
export interface AssertionPair {
  index: number;
  wanted: RuleAssertion;
  existing: RuleAssertion | undefined;
  fields: string[];
}

/** The differences between a community and the rule set that it should have. */
export interface RuleSetDiff {
  rules: RulePair[];
  unlistedRules: CommunityRuleRow[];
  /** Whether the rules that exist apply in another order than they are listed in. */
  isReordered: boolean;
  passes: PassPair[];
  unlistedPasses: PassOfSet[];
  assertions: AssertionPair[];
  unlistedAssertions: RuleAssertion[];
  /** The fields of the settings and of the brakes that differ. */
  settings: string[];
  brakes: string[];
}

type Wanted = Pick<WantedRuleSet, 'rules' | 'guestPasses' | 'assertions' | 'settings' | 'brakes'>;

export function diffRuleSet(state: RuleSetState, wanted: Wanted): RuleSetDiff {
  const rules = pairRules(state, wanted.rules ?? []);
  const listed = new Set(rules.flatMap(({ existing }) => existing ?? []));
  const passes = pairPasses(state.guestPasses, wanted.guestPasses ?? []);
  const listedPasses = new Set(passes.map(({ existing }) => existing));
  const assertions = pairAssertions(state.assertions, wanted.assertions ?? []);
  const listedAssertions = new Set(assertions.map(({ existing }) => existing));
  return {
    rules,
    unlistedRules: wanted.rules === undefined ? [] : state.rows.filter((row) => !listed.has(row)),
    isReordered: isReordered(state.rows, rules),
    passes,
    unlistedPasses: wanted.guestPasses === undefined ? [] : state.guestPasses.filter((pass) => !listedPasses.has(pass)),
    assertions,
    unlistedAssertions:
      wanted.assertions === undefined ? [] : state.assertions.filter((one) => !listedAssertions.has(one)),
    settings: wanted.settings === undefined ? [] : differingFields(state.settings, wanted.settings),
    brakes: wanted.brakes === undefined ? [] : differingFields(inOrder(state.brakes), inOrder(wanted.brakes)),
  };
}

function pairRules({ rows, rules }: RuleSetState, wanted: readonly WantedRule[]): RulePair[] {
  const existing = rules.map((one, index) => ({ ...identify(one), one, row: rows[index] }));
  const desired = wanted.map(({ id, rule, visibility = 'public' }) => {
    const body = definitionOf(rule);
    const roleId = body.roleId ?? compositionIn(body)?.roleId ?? '';
    const one: RuleOfSet = { id: id ?? '', rule: { ...body, roleId }, visibility };
    return { id, body, one };
  });
  const found = matchRules(
    existing,
    desired.map(({ id, one }) => ({ ...identify(one), id })),
  );
  const known = new Set(rows.map((row) => row.id));
  return desired.map(({ id, body, one }, index) => {
    const match = found[index];
    const fields = match === undefined ? [] : differingFields(flat(match.one), flat(one));
    const wantedRule = { body, roleId: String(one.rule.roleId), visibility: one.visibility };
    const isIdKnown = id !== undefined && known.has(id);
    return { index, id, isIdKnown, wanted: wantedRule, existing: match?.row, fields };
  });
}

function identify({ id, rule, visibility }: RuleOfSet) {
  const { name } = rule;
  return {
    id,
    name: typeof name === 'string' ? name : undefined,
    roleId: String(rule.roleId),
    sign: canonicalText(flat({ rule, visibility })),
  };
}

function flat({ rule, visibility }: Pick<RuleOfSet, 'rule' | 'visibility'>): Record<string, unknown> {
  return { ...normalForm(rule), visibility };
}

function pairPasses(existing: readonly PassOfSet[], wanted: readonly WantedPass[]): PassPair[] {
  const left = new Set(existing);
  return wanted.map((pass, index) => {
    const named = [...left].filter(({ name }) => name === pass.name);
    const same = named.find((one) => passFields(one, pass).length === 0) ?? named[0];
    if (same !== undefined) left.delete(same);
    return { index, wanted: pass, existing: same, fields: same === undefined ? [] : passFields(same, pass) };
  });
}

function passFields({ id: _id, ...existing }: PassOfSet, wanted: WantedPass): string[] {
  return differingFields(existing, wanted);
}

function differingFields(one: object, other: object): string[] {
  const [a, b] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  return [...new Set([...a.keys(), ...b.keys()])].filter(
    (field) => canonicalText([a.get(field)]) !== canonicalText([b.get(field)]),
  );
}

/** Equal ones are the same, and one with the same name is edited. */
function pairAssertions(existing: readonly RuleAssertion[], wanted: readonly RuleAssertion[]): AssertionPair[] {
  const left = new Set(existing);
  const take = (isIt: (one: RuleAssertion) => boolean) => {
    const found = [...left].find(isIt);
    if (found !== undefined) left.delete(found);
    return found;
  };
  const equal = wanted.map((one) => take((other) => differingFields(one, other).length === 0));
  return wanted.map((one, index) => {
    const same = equal[index] ?? take(({ name }) => name !== undefined && name === one.name);
    return { index, wanted: one, existing: same, fields: same === undefined ? [] : differingFields(same, one) };
  });
}

/** Whether applying would write anything but brakes. */
export function writesSomething(diff: RuleSetDiff, unlisted: WantedRuleSet['unlisted']): boolean {
  const { rules, passes, assertions, settings, isReordered, unlistedRules, unlistedPasses, unlistedAssertions } = diff;
  const differs = [...rules, ...passes, ...assertions].some(
    ({ existing, fields }) => existing === undefined || fields.length > 0,
  );
  const deletes = unlisted !== 'keep' && unlistedRules.length + unlistedPasses.length + unlistedAssertions.length > 0;
  return differs || deletes || isReordered || settings.length > 0;
}

/** The assertions as they would be. */
export function wantedAssertions(
  { assertions, unlistedAssertions }: RuleSetDiff,
  {
    existing,
    unlisted,
    isListed,
  }: { existing: readonly RuleAssertion[]; unlisted: WantedRuleSet['unlisted']; isListed: boolean },
): readonly RuleAssertion[] {
  if (!isListed) return existing;
  return [...assertions.map(({ wanted }) => wanted), ...(unlisted === 'keep' ? unlistedAssertions : [])];
}

/** Roles in a policy have no order. */
function inOrder(brakes: RuleSetState['brakes']): RuleSetState['brakes'] {
  return { ...brakes, roles: brakes.roles.toSorted((a, b) => (a.roleId < b.roleId ? -1 : 1)) };
}

// Rules are decided before compositions, so only the order within each of the two is one.
function isReordered(rows: readonly CommunityRuleRow[], pairs: readonly RulePair[]): boolean {
  const listed = pairs.flatMap(({ existing }) => existing ?? []);
  return [true, false].some((ofCompositions) => {
    const isOfKind = ({ definition }: CommunityRuleRow) => (compositionIn(definition) !== undefined) === ofCompositions;
    const now = rows.filter((row) => listed.includes(row) && isOfKind(row));
    const then = listed.filter(isOfKind);
    return now.some((row, index) => row !== then[index]);
  });
}
