import type { CommunityRuleRow } from '../../communities/communities/index.ts';
import { isObject } from './found-rule.ts';

/** What a rule demands and gives, without what people call it: two rules with the same sign are the same rule. */
export function signOf(roleId: string, definition: Record<string, unknown>): string {
  const { name: _name, description: _description, roleId: _roleId, platform: _platform, ...demand } = definition;
  const { version, ...rest } = demand;
  // Without a version a rule is one of the first.
  return JSON.stringify([roleId, sorted({ ...rest, version: version ?? '1.0.0' })]);
}

/** The rules that a community has, by their signs. */
export function signsOf(rules: readonly CommunityRuleRow[]): Map<string, string> {
  return new Map(rules.map(({ id, role_id, definition }) => [signOf(role_id, definition), id]));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? value.toLowerCase() : value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined && field !== null);
  return Object.fromEntries(
    entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, field]) => [name, sorted(field)]),
  );
}
