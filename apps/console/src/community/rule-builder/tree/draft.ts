import { isObject } from '../../../shared/is-object.ts';
import { t } from '../messages/index.ts';
import { type Fields, type Group, isGroup, type Leaf, type Node, newKey, newLeaf } from './node.ts';

/** A rule on the page: what it says of itself, and the cards of what it asks for. */
export interface Draft {
  /** The fields of the rule that are not about its conditions. */
  frame: Fields;
  /** Whether it is a tree of rules; otherwise it is one condition, written as an ordinary rule. */
  isTree: boolean;
  root: Node;
}

/** JSON that cannot be drawn as cards. The message says why. */
export class NotDrawable extends Error {}

/** The fields that a rule has beside what it asks for. */
const frameFields = ['name', 'description', 'roleId', 'platform', 'id'];

/** Draws a rule. Nothing of it is lost: `toRule` gives it back as it was. */
export function toDraft(rule: unknown): Draft {
  if (!isObject(rule)) throw new NotDrawable(t('json.notRule'));
  const { variables } = rule;
  if (isLogic(rule) && isObject(variables) && 'rule' in variables) {
    const { rule: tree, ...others } = variables;
    return { frame: { ...rule, variables: others }, isTree: true, root: toNode(tree) };
  }
  const entries = Object.entries(rule);
  const frame = Object.fromEntries(entries.filter(([name]) => frameFields.includes(name)));
  return {
    frame,
    isTree: false,
    root: newLeaf(Object.fromEntries(entries.filter(([name]) => !frameFields.includes(name)))),
  };
}

/** The rule that a draft stands for, without what is muted. Undefined when nothing is left. */
export function toRule({ frame, isTree, root }: Draft): Fields | undefined {
  const tree = toTree(root);
  if (tree === undefined) return undefined;
  if (!isTree && !isGroup(root)) return { ...root.fields, ...frame };
  const { variables } = frame;
  const scheme = isTree ? frame : { version: '2.1.0', ...frame, scheme: 'logic' };
  return { ...scheme, variables: { ...(isObject(variables) && variables), rule: tree } };
}

function toNode(value: unknown): Node {
  if (!isObject(value)) throw new NotDrawable(t('json.notCondition'));
  const names = Object.keys(value);
  const only = names.length === 1 ? names[0] : undefined;
  if (only === 'and') return group('all', value.and);
  if (only === 'or') return group('any', value.or);
  if (only === 'not') {
    const { not } = value;
    if (isObject(not) && Object.keys(not).length === 1 && Array.isArray(not.or)) return group('none', not.or);
    return { key: newKey(), kind: 'none', count: 1, parts: [toNode(not)], isSingle: true };
  }
  if (names.length === 2 && 'atLeast' in value && 'of' in value) {
    const { atLeast } = value;
    if (typeof atLeast !== 'number') throw new NotDrawable(t('json.notNumber'));
    return { ...group('at-least', value.of), count: atLeast };
  }
  return newLeaf(value);
}

function group(kind: Group['kind'], parts: unknown): Group {
  if (!Array.isArray(parts)) throw new NotDrawable(t('json.notList'));
  return { key: newKey(), kind, count: 1, parts: parts.map(toNode) };
}

function toTree(node: Node): Fields | undefined {
  if (node.isMuted) return undefined;
  if (!isGroup(node)) return node.fields;
  const parts = node.parts.flatMap((part) => toTree(part) ?? []);
  // A group whose cards are all muted counts as little as they do.
  if (parts.length === 0 && node.parts.length > 0) return undefined;
  switch (node.kind) {
    case 'all':
      return { and: parts };
    case 'any':
      return { or: parts };
    case 'at-least':
      return { atLeast: node.count, of: parts };
    default:
      return node.isSingle && parts.length === 1 ? { not: parts[0] } : { not: { or: parts } };
  }
}

/** Wraps what a draft asks for, so that there is a place for a second condition. */
export function asGroup(draft: Draft): Draft {
  if (isGroup(draft.root)) return draft;
  const root: Group = { key: newKey(), kind: 'all', count: 1, parts: [draft.root] };
  return { ...draft, root };
}

/** A condition without values yet. */
export function emptyLeaf(): Leaf {
  return newLeaf({ type: 'ERC20' });
}

function isLogic({ scheme }: Fields): boolean {
  return typeof scheme === 'string' && scheme.trim().toLowerCase() === 'logic';
}

/** Whether two values are the same JSON, in whatever order their fields stand. */
export function isSameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a, inOrder) === JSON.stringify(b, inOrder);
}

function inOrder(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))));
}
