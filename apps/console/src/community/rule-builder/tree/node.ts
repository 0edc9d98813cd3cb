/** A rule as JSON carries it. */
export type Fields = Readonly<Record<string, unknown>>;

export type GroupKind = 'all' | 'any' | 'none' | 'at-least';

/** Conditions that count together. */
export interface Group {
  key: string;
  kind: GroupKind;
  /** Of `at-least`: how many must be met. */
  count: number;
  parts: readonly Node[];
  /** Of `none`: a `not` around one part, as opposed to one around alternatives. They mean the same. */
  isSingle?: boolean;
  isMuted?: boolean;
}

/** One condition: an ordinary rule. */
export interface Leaf {
  key: string;
  fields: Fields;
  isMuted?: boolean;
}

/** A card of the builder. Keys name it for as long as it is on the page; a muted one is in the draft only. */
export type Node = Group | Leaf;

export function isGroup(node: Node): node is Group {
  return 'parts' in node;
}

let made = 0;

export function newKey(): string {
  made += 1;
  return `n${made}`;
}

export function newLeaf(fields: Fields): Leaf {
  return { key: newKey(), fields };
}

export function newGroup(kind: GroupKind, parts: readonly Node[]): Group {
  return { key: newKey(), kind, count: 1, parts };
}

/** Every node, a group before its parts. */
export function nodesOf(node: Node): Node[] {
  return isGroup(node) ? [node, ...node.parts.flatMap(nodesOf)] : [node];
}

export function findNode(root: Node, key: string): Node | undefined {
  return nodesOf(root).find((node) => node.key === key);
}

/** The group that a node is in; undefined for the root. */
export function parentOf(root: Node, key: string): Group | undefined {
  return nodesOf(root).find((node): node is Group => isGroup(node) && node.parts.some((part) => part.key === key));
}

export function depthOf(root: Node, key: string): number {
  const parent = parentOf(root, key);
  return parent === undefined ? 0 : depthOf(root, parent.key) + 1;
}
