import { setTimeout as rest } from 'node:timers/promises';
import type { EvmWorld } from '@latchkey/chains/testing';
import { throwDice } from '@latchkey/server/testing/dice';
import { createForks, moveKey } from '@latchkey/server/testing/move-tokens';
import type { Address } from 'viem';
import type { KeyHistory, KeyMove } from './key-history.ts';

const blocks = 240;
const transferShare = 0.5;
const replacedShare = 0.06;
const mostReplaced = 6;
const dice = throwDice('transfers');

export interface Play {
  history: KeyHistory;
  /** Keys move within a group, in turn. Each group has members without one. */
  groups: readonly (readonly Address[])[];
  /** Changes are reported at this depth. */
  depth: number;
  blockMs: number;
}

/** Adds a block at an interval, with or without a transfer, and sometimes replaces the last ones. */
export async function playChain(
  chain: EvmWorld,
  { history, groups, depth, blockMs }: Play,
  want: (address: Address, isHolder: boolean) => void,
): Promise<{ transfers: number; replaced: number[] }> {
  const forks = createForks(chain);
  const replaced: number[] = [];
  let transfers = 0;
  let holders = history.holdersAt(0);
  const add = async (move?: KeyMove) => {
    if (move === undefined) await chain.client.mine({ blocks: 1 });
    else await moveKey(chain, move.keyId, move.from, move.to);
    history.add(move);
    await forks.remember();
  };
  const replace = async (count: number) => {
    await forks.cut(count);
    // Some of the transfers are repeated, others are lost, and one more block makes it the longer chain.
    for (const move of [...history.cut(count), undefined]) {
      const isValid = move !== undefined && history.owners().get(move.keyId) === move.from && dice.chance(0.5);
      await add(isValid ? move : undefined);
    }
    replaced.push(count);
  };
  await forks.remember();
  const startedMs = performance.now();
  for (let n = 0; n < blocks + depth; n += 1) {
    await rest(Math.max(0, startedMs + n * blockMs - performance.now()));
    const isLast = n >= blocks;
    if (!isLast && history.length > mostReplaced && dice.chance(replacedShare)) {
      await replace(1 + dice.below(mostReplaced));
    } else if (!isLast && dice.chance(transferShare)) {
      await add(pickMove(history, groups[transfers % groups.length] ?? []));
      transfers += 1;
    } else await add();
    const now = history.holdersAt(depth);
    for (const address of groups.flat()) if (now.has(address) !== holders.has(address)) want(address, now.has(address));
    holders = now;
  }
  return { transfers, replaced };
}

/** Picks a key that moves to a group member who has none. */
function pickMove(history: KeyHistory, group: readonly Address[]): KeyMove {
  const owned = [...history.owners()].filter(([, owner]) => group.includes(owner));
  const [keyId, from] = dice.pick(owned);
  const others = group.filter((address) => owned.every(([, owner]) => owner !== address));
  return { keyId, from, to: dice.pick(others) };
}
