import type { Condition, Leaf } from '../rules/index.ts';

const mostRounds = 20;

/**
 * The subjects of the leaves, in an order that keeps decision diagrams small. Conditions that share no subject, directly or
 * through others, stand apart: a diagram over both is then no larger than two of their own. Within such a component the
 * subjects of a group are near each other.
 */
export function arrange(conditions: readonly Condition[], subjectOf: (leaf: Leaf) => string | undefined): string[] {
  const numbers = new Map<string, number>();
  const groups: number[][] = [];
  const visit = (condition: Condition): Set<number> => {
    const members = new Set<number>();
    if ('parts' in condition) for (const part of condition.parts) for (const member of visit(part)) members.add(member);
    else if (condition.kind === 'not') return visit(condition.part);
    else {
      const subject = subjectOf(condition);
      if (subject === undefined) return members;
      const number = numbers.get(subject) ?? numbers.size;
      numbers.set(subject, number);
      return members.add(number);
    }
    if (members.size > 1) groups.push([...members]);
    return members;
  };
  // The parts of a rule can be told apart as well as rules can.
  const pieces = conditions.flatMap((condition) => (isAndOr(condition) ? condition.parts : [condition]));
  for (const piece of pieces) visit(piece);
  const subjects = [...numbers.keys()];
  return componentsOf(subjects.length, groups)
    .flatMap(({ members, within }) => force(members, within))
    .flatMap((number) => subjects[number] ?? []);
}

function isAndOr(condition: Condition): condition is Extract<Condition, { kind: 'and' | 'or' }> {
  return condition.kind === 'and' || condition.kind === 'or';
}

/** Numbers that are connected by groups, and the groups that connect them. */
function componentsOf(
  count: number,
  groups: readonly (readonly number[])[],
): { members: number[]; within: (readonly number[])[] }[] {
  const parents = Array.from({ length: count }, (_, number) => number);
  const rootOf = (number: number): number => {
    let root = number;
    while (parents[root] !== root) root = parents[root] ?? root;
    parents[number] = root;
    return root;
  };
  for (const [first = 0, ...others] of groups) for (const other of others) parents[rootOf(other)] = rootOf(first);
  const byRoot = Map.groupBy(parents.keys(), rootOf);
  const groupsByRoot = Map.groupBy(groups, ([first = 0]) => rootOf(first));
  return [...byRoot].map(([root, members]) => ({ members, within: groupsByRoot.get(root) ?? [] }));
}

/** The FORCE heuristic (Aloul, Markov and Sakallah 2003): groups pull their members together until they span no less. */
function force(members: readonly number[], groups: readonly (readonly number[])[]): readonly number[] {
  let order = members;
  let places = placesIn(order);
  let span = spanOf(groups, places);
  for (let round = 0; round < mostRounds; round += 1) {
    const pulls = new Map<number, { sum: number; count: number }>();
    for (const group of groups) {
      const center = group.reduce((sum, member) => sum + (places.get(member) ?? 0), 0) / group.length;
      for (const member of group) {
        const { sum, count } = pulls.get(member) ?? { sum: 0, count: 0 };
        pulls.set(member, { sum: sum + center, count: count + 1 });
      }
    }
    const centerOf = (member: number) => {
      const pull = pulls.get(member);
      return pull === undefined ? (places.get(member) ?? 0) : pull.sum / pull.count;
    };
    const next = order.toSorted((a, b) => centerOf(a) - centerOf(b));
    const nextPlaces = placesIn(next);
    const nextSpan = spanOf(groups, nextPlaces);
    if (nextSpan >= span) return order;
    order = next;
    places = nextPlaces;
    span = nextSpan;
  }
  return order;
}

function placesIn(order: readonly number[]): Map<number, number> {
  return new Map(order.map((member, place) => [member, place]));
}

function spanOf(groups: readonly (readonly number[])[], places: ReadonlyMap<number, number>): number {
  return groups.reduce((sum, group) => {
    const own = group.map((member) => places.get(member) ?? 0);
    return sum + Math.max(...own) - Math.min(...own);
  }, 0);
}
