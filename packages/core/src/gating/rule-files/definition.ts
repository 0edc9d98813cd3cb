import { isObject } from '@latchkey/kernel';

export type Fields = Readonly<Record<string, unknown>>;

/** Fields of a rule that are no part of its condition. */
const frame = ['name', 'description', 'roleId'] as const;
const shortNames: Readonly<Record<string, string>> = { min: 'minToken', max: 'maxToken' };
const longNames: Readonly<Record<string, string>> = { minToken: 'min', maxToken: 'max' };
const treeVersion = '2.1.0';

/** A condition of a file, or a group of them, as the API writes it. `tokenOf` returns the fields of a named token. */
export function toDefinition(when: Fields, tokenOf: (name: string, when: Fields) => Fields): Fields {
  if (!isGroup(when)) return toLeaf(when, tokenOf);
  return { version: treeVersion, scheme: 'logic', variables: { rule: toTree(when, tokenOf) } };
}

/** Where a part of a file’s condition is in what the API gets, from its path there: /variables/rule/and/0/minToken. */
export function placeInFile(path: string): string {
  const steps = path
    .replace(/^\/variables\/rule(?=\/|$)/, '')
    .split('/')
    .slice(1);
  return steps
    .map((step) => ({ and: 'all', or: 'any' })[step] ?? longNames[step] ?? step)
    .map((step) => `/${step}`)
    .join('');
}

function isGroup(when: Fields): boolean {
  return ['all', 'any', 'not', 'atLeast'].some((word) => word in when);
}

function toTree(when: Fields, tokenOf: (name: string, when: Fields) => Fields): unknown {
  const parts = (list: unknown) => (Array.isArray(list) ? list.map((part) => toTree(part as Fields, tokenOf)) : list);
  if (!isGroup(when)) return toLeaf(when, tokenOf);
  return Object.fromEntries(
    Object.entries(when).map(([word, value]) => {
      if (word === 'all') return ['and', parts(value)];
      if (word === 'any') return ['or', parts(value)];
      if (word === 'not') return ['not', isObject(value) ? toTree(value, tokenOf) : value];
      return [word, word === 'of' ? parts(value) : value];
    }),
  );
}

function toLeaf({ token, ...when }: Fields, tokenOf: (name: string, when: Fields) => Fields): Fields {
  const own = Object.fromEntries(Object.entries(when).map(([name, value]) => [shortNames[name] ?? name, value]));
  return typeof token === 'string' ? { ...tokenOf(token, when), ...own } : own;
}

/** The same condition as a file writes it; undefined for one that no file writes like this. */
export function fromDefinition(definition: Fields): Fields | undefined {
  const rule = Object.fromEntries(Object.entries(definition).filter(([name]) => !frame.some((one) => one === name)));
  const { variables } = rule;
  const when =
    isLogic(rule) && isObject(variables) && 'rule' in variables
      ? fromTree(variables.rule)
      : isLogic(rule)
        ? undefined
        : fromLeaf(rule);
  if (when === undefined) return undefined;
  const again = toDefinition(when, () => ({}));
  return sameText(normalForm(again), normalForm(rule)) ? when : undefined;
}

function isLogic({ scheme }: Fields): boolean {
  return typeof scheme === 'string' && scheme.trim().toLowerCase() === 'logic';
}

function fromTree(node: unknown): Fields | undefined {
  if (!isObject(node)) return undefined;
  const parts = (list: unknown) => (Array.isArray(list) ? list.map(fromTree) : undefined);
  if ('and' in node) return { all: parts(node.and) };
  if ('or' in node) return { any: parts(node.or) };
  if ('not' in node) return { not: fromTree(node.not) };
  if ('atLeast' in node) return { atLeast: node.atLeast, of: parts(node.of) };
  return fromLeaf(node);
}

function fromLeaf(leaf: Fields): Fields {
  return Object.fromEntries(Object.entries(leaf).map(([name, value]) => [longNames[name] ?? name, value]));
}

/**
 * A rule without what makes no difference: the version of a tree, amounts as numbers, and in a composition its own role again.
 * Rules with the same normal form are the same rule, however they were written.
 */
export function normalForm(definition: Fields): Fields {
  const { version, variables, ...rest } = definition;
  const composition = isObject(variables) ? variables.roleComposition : undefined;
  if (
    isObject(variables) &&
    isObject(composition) &&
    (composition.roleId === rest.roleId || composition.roleId === undefined)
  ) {
    const { roleId: _roleId, ...others } = composition;
    return { ...rest, ...(version !== undefined && { version }), variables: { ...variables, roleComposition: others } };
  }
  const isOfTree = isLogic(rest) && (version === undefined || version === treeVersion);
  return {
    ...withTexts(rest),
    ...(version !== undefined && !isOfTree && { version }),
    ...(isObject(variables) && {
      variables: 'rule' in variables ? { ...variables, rule: normalTree(variables.rule) } : variables,
    }),
  };
}

function normalTree(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(normalTree);
  if (!isObject(node)) return node;
  const isPart = ['and', 'or', 'not', 'atLeast'].some((word) => word in node);
  if (!isPart) return withTexts(node);
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, normalTree(value)]));
}

/** In a tree, an amount may be stored as a number. */
function withTexts(leaf: Fields): Fields {
  return Object.fromEntries(
    Object.entries(leaf).map(([name, value]) => [
      name,
      (name === 'minToken' || name === 'maxToken') && typeof value === 'number' ? String(value) : value,
    ]),
  );
}

function sameText(one: Fields, other: Fields): boolean {
  return sorted(one) === sorted(other);
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

/** A composition of a file, as the API writes it. */
export function toComposition({ action, operator = 'and', condition }: Fields): Fields {
  return { scheme: 'role_composition', variables: { roleComposition: { action, operator, condition } } };
}

/** The same as a file writes it; undefined for one that no file writes like this. */
export function fromComposition(definition: Fields): Fields | undefined {
  const { name: _name, description: _description, ...rule } = definition;
  const { roleComposition } = isObject(rule.variables) ? rule.variables : {};
  if (!isObject(roleComposition)) return undefined;
  const { action, operator, condition } = roleComposition;
  const composition = { action, operator, condition };
  const again = { ...toComposition(composition), roleId: rule.roleId };
  return sameText(normalForm(again), normalForm(rule)) ? composition : undefined;
}
