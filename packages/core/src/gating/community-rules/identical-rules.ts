import type { Tx } from '@latchkey/db';
import { isObject } from '@latchkey/kernel';
import { type CommunityRuleRow, selectRules } from '../../communities/rule-records/index.ts';
import { formatDecimal, toDecimal } from '../../shared/decimal.ts';

type Definition = Readonly<Record<string, unknown>>;

/** Finds the oldest rule of a community with the same conditions and role, whatever its name. */
export async function findIdentical(
  tx: Tx,
  communityId: string,
  { roleId, definition }: { roleId: string; definition: Definition },
): Promise<CommunityRuleRow | undefined> {
  const wanted = ruleSign(roleId, definition);
  return (await selectRules(tx, communityId)).find((row) => ruleSign(row.role_id, row.definition) === wanted);
}

/** Describes the existing rule to an admin. */
export function describeIdentical({ id, definition: { name } }: CommunityRuleRow): string {
  const called = typeof name === 'string' && name !== '' ? `“${name}” (${id})` : id;
  return `The community already has a rule with the same conditions and role: ${called}.`;
}

/**
 * Returns a signature of a rule's conditions and role, without name and description: rules with the same signature are
 * identical. The case of addresses, the order of keys and explicit defaults make no difference.
 */
export function ruleSign(roleId: string, definition: Definition): string {
  const { name: _name, description: _description, roleId: _roleId, platform: _platform, ...demand } = definition;
  // Rules without a version are version 1.0.0.
  return JSON.stringify([roleId, canonical({ version: '1.0.0', ...leaf(demand) })]);
}

/** One rule, alone or in a tree, with its defaults. */
function leaf(rule: Definition): Definition {
  const { type, scheme, minToken, maxToken, asset, variables } = rule;
  return {
    ...rule,
    type: lower(type),
    scheme: lower(scheme),
    asset: typeof asset === 'string' ? asset.replace(/0x[0-9a-f]+/gi, (address) => address.toLowerCase()) : asset,
    minToken: amount(minToken ?? '1'),
    maxToken: amount(maxToken),
    variables: isObject(variables) && 'rule' in variables ? { ...variables, rule: tree(variables.rule) } : variables,
  };
}

function tree(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(tree);
  if (!isObject(node)) return node;
  const isGroup = ['and', 'or', 'not', 'atLeast'].some((operator) => operator in node);
  if (isGroup) return Object.fromEntries(Object.entries(node).map(([key, part]) => [key, tree(part)]));
  const { roleId: _roleId, ...rule } = node;
  return leaf(rule);
}

function lower(word: unknown): unknown {
  return typeof word === 'string' ? word.trim().toLowerCase() : word;
}

function amount(value: unknown): unknown {
  const decimal = toDecimal(value);
  return decimal === undefined ? value : formatDecimal(decimal);
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isObject(value)) return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? value.toLowerCase() : value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined && field !== null && field !== '');
  return Object.fromEntries(
    entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([key, field]) => [key, canonical(field)]),
  );
}
