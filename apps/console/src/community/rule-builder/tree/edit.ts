import {
  type Fields,
  findNode,
  type Group,
  type GroupKind,
  isGroup,
  type Node,
  newGroup,
  newKey,
  nodesOf,
  parentOf,
} from './node.ts';

/** Puts something else in the place of a node. */
export function change(root: Node, key: string, edit: (node: Node) => Node): Node {
  if (root.key === key) return edit(root);
  if (!isGroup(root)) return root;
  const parts = root.parts.map((part) => change(part, key, edit));
  return parts.every((part, index) => part === root.parts[index]) ? root : { ...root, parts };
}

function changeGroup(root: Node, key: string, edit: (group: Group) => Group): Node {
  return change(root, key, (node) => (isGroup(node) ? edit(node) : node));
}

export function setFields(root: Node, key: string, fields: Fields): Node {
  return change(root, key, (node) => (isGroup(node) ? node : { ...node, fields }));
}

export function setKind(root: Node, key: string, kind: GroupKind, count = 1): Node {
  return changeGroup(root, key, ({ isSingle: _, ...group }) => ({ ...group, kind, count }));
}

/** Adds a card to a group, at the end if no place is named. */
export function add(root: Node, groupKey: string, node: Node, index = Number.POSITIVE_INFINITY): Node {
  return changeGroup(root, groupKey, (group) => {
    const place = Math.max(0, Math.min(index, group.parts.length));
    return { ...group, parts: group.parts.toSpliced(place, 0, node) };
  });
}

/** Takes a card away. The root stays. */
export function remove(root: Node, key: string): Node {
  const parent = parentOf(root, key);
  if (parent === undefined) return root;
  return changeGroup(root, parent.key, (group) => ({
    ...group,
    parts: group.parts.filter((part) => part.key !== key),
  }));
}

/**
 * Moves a card into a group, before the part that has the place now. A card does not move into itself, and the root not at
 * all.
 */
export function move(root: Node, key: string, groupKey: string, index: number): Node {
  const node = findNode(root, key);
  const target = findNode(root, groupKey);
  if (node === undefined || target === undefined || !isGroup(target) || node === root) return root;
  if (nodesOf(node).includes(target)) return root;
  const from = target.parts.findIndex((part) => part.key === key);
  const place = from !== -1 && from < index ? index - 1 : index;
  if (from !== -1 && from === place) return root;
  return add(remove(root, key), groupKey, node, place);
}

export type Direction = 'up' | 'down' | 'out' | 'in';

/** Where a step would bring a card; undefined where there is no such place. */
export function stepTarget(
  root: Node,
  key: string,
  direction: Direction,
): { groupKey: string; index: number } | undefined {
  const parent = parentOf(root, key);
  if (parent === undefined) return undefined;
  const index = parent.parts.findIndex((part) => part.key === key);
  switch (direction) {
    case 'up':
      return index === 0 ? undefined : { groupKey: parent.key, index: index - 1 };
    case 'down':
      return index === parent.parts.length - 1 ? undefined : { groupKey: parent.key, index: index + 2 };
    case 'out': {
      const outer = parentOf(root, parent.key);
      return outer && { groupKey: outer.key, index: outer.parts.indexOf(parent) + 1 };
    }
    default: {
      const [above, below] = [parent.parts[index - 1], parent.parts[index + 1]];
      if (above !== undefined && isGroup(above)) return { groupKey: above.key, index: above.parts.length };
      return below !== undefined && isGroup(below) ? { groupKey: below.key, index: 0 } : undefined;
    }
  }
}

/** Moves a card by one step: up or down among its neighbours, out of its group, or into the group beside it. */
export function step(root: Node, key: string, direction: Direction): Node {
  const target = stepTarget(root, key, direction);
  return target === undefined ? root : move(root, key, target.groupKey, target.index);
}

/** Puts a card into a new group of its own. */
export function wrap(root: Node, key: string, kind: GroupKind = 'all'): Node {
  return change(root, key, (node) => newGroup(kind, [node]));
}

/** Takes a group apart: its parts take its place. The root gives way only to a single part. */
export function unwrap(root: Node, key: string): Node {
  const group = findNode(root, key);
  if (group === undefined || !isGroup(group)) return root;
  const parent = parentOf(root, key);
  if (parent === undefined) return (group.parts.length === 1 && group.parts[0]) || root;
  return changeGroup(root, parent.key, (outer) => {
    return { ...outer, parts: outer.parts.flatMap((part) => (part.key === key ? group.parts : [part])) };
  });
}

/** Puts a copy behind a card. A copy of the root has no place. */
export function clone(root: Node, key: string): Node {
  const parent = parentOf(root, key);
  const node = findNode(root, key);
  if (parent === undefined || node === undefined) return root;
  return add(root, parent.key, withNewKeys(node), parent.parts.indexOf(node) + 1);
}

function withNewKeys(node: Node): Node {
  return isGroup(node) ? { ...node, key: newKey(), parts: node.parts.map(withNewKeys) } : { ...node, key: newKey() };
}

/** Leaves a card out of the rule without taking it off the page, or lets it count again. */
export function toggleMute(root: Node, key: string): Node {
  return change(root, key, ({ isMuted, ...node }) => (isMuted ? node : { ...node, isMuted: true }));
}
