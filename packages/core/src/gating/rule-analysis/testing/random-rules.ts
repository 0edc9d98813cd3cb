import { openRules } from '../../evaluation/index.ts';

/** A number below a bound, from a seeded sequence. */
export type Draw = (below: number) => number;

export const roles = ['a', 'b', 'c'];
const contracts = ['1', '2'].map((digit) => `0x${digit.repeat(40)}`);
export const amounts = ['0', '0.5', '1', '1.5', '2', '2.5', '3', '4'];

export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    state = Math.imul(state ^ (state >>> 13), 0x297a2d39) >>> 0;
    return ((state ^ (state >>> 16)) >>> 0) % below;
  };
}

export function pick<Item>(draw: Draw, items: readonly Item[]): Item {
  return items[draw(items.length)] as Item;
}

function randomLeaf(draw: Draw): object {
  const isCoin = draw(2) === 0;
  const some = isCoin ? amounts : ['0', '1', '2', '3', '4'];
  const [least = '0', most = '0'] = [pick(draw, some), pick(draw, some)].toSorted((a, b) => Number(a) - Number(b));
  return {
    type: isCoin ? 'ERC20' : 'ERC721',
    chainId: pick(draw, [1, 1, 10]),
    contractAddress: pick(draw, contracts),
    minToken: least,
    ...(draw(3) === 0 && { maxToken: most }),
    variables: { ...(draw(3) === 0 && { _sumWallets: true }), ...(draw(6) === 0 && { _heldForSeconds: 86_400 }) },
  };
}

export function randomTree(draw: Draw, depth: number, leaf = randomLeaf): object {
  if (depth === 0 || draw(3) === 0) return leaf(draw);
  const parts = Array.from({ length: 1 + draw(3) }, () => randomTree(draw, depth - 1, leaf));
  switch (draw(4)) {
    case 0:
      return { and: parts };
    case 1:
      return { or: parts };
    case 2:
      return { not: parts[0] };
    default:
      return { atLeast: 1 + draw(parts.length), of: parts };
  }
}

function randomRule(draw: Draw, leaf: typeof randomLeaf): object {
  const roleId = pick(draw, roles);
  if (draw(4) > 0) return { scheme: 'logic', roleId, variables: { rule: randomTree(draw, 2, leaf) } };
  const action = pick(draw, ['add', 'remove', 'addOrRemove', 'removeOrAdd']);
  const others = roles.filter((id) => id !== roleId);
  const condition = Object.fromEntries([pick(draw, others), pick(draw, others)].map((id) => [id, draw(2) === 0]));
  const roleComposition = { action, roleId, operator: pick(draw, ['and', 'or']), condition };
  return { scheme: 'role_composition', roleId, variables: { roleComposition } };
}

/** Two rule sets. Half of the pairs are small edits, about which more can be proven than about strangers. */
export function randomPair(draw: Draw, leaf = randomLeaf): { before: object[]; after: object[] } {
  const before = Array.from({ length: 1 + draw(3) }, () => randomRule(draw, leaf));
  const after =
    draw(2) === 0
      ? [...before.slice(1), randomRule(draw, leaf)]
      : Array.from({ length: 1 + draw(3) }, () => randomRule(draw, leaf));
  return { before, after };
}

/** Rules with the ids `rule-0`, `rule-1` and so on. */
export function open(definitions: readonly object[]) {
  return openRules(
    definitions.map((definition, index) => ({
      id: `rule-${index}`,
      role_id: (definition as { roleId: string }).roleId,
      definition: definition as Record<string, unknown>,
    })),
  );
}
