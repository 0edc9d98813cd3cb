import type { Dice } from '../dice.ts';

/** The targets of faults; two faults of one round never have the same target. */
type Target = 'process' | 'clock' | 'database' | 'node' | 'discord';

export interface Fault {
  kind: FaultKind;
  /** The victim: a process, a node, or a variant. */
  victim: string;
}

export interface Round {
  faults: readonly Fault[];
  /** How long they last while the load continues. */
  lastsMs: number;
  /** What users do meanwhile. */
  actions: readonly Action[];
}

/** A choice is a large number; an action takes it modulo the number of options. */
export interface Action {
  kind: ActionKind;
  choice: number;
  other: number;
}

const actionKinds = ['move key', 'move key', 'move key', 'leave or join', 'change rule', 'ask for a check'] as const;
export type ActionKind = (typeof actionKinds)[number];

const hourMs = 3_600_000;

export interface Setting {
  servers: readonly string[];
  workers: readonly string[];
  nodes: number;
  /** The faults that are possible here. */
  faults: readonly FaultKind[];
  lastsMs: readonly [least: number, most: number];
}

/**
 * By kind: its target and its victims. If there are others, the first process of each kind is not killed, so that it
 * runs for long.
 */
const faultKinds = {
  kill: {
    target: 'process',
    victims: ({ servers, workers }) => {
      const young = [...servers.slice(1), ...workers.slice(1)];
      return young.length > 0 ? young : [...workers];
    },
  },
  freeze: { target: 'process', victims: ({ servers, workers }) => [...servers, ...workers] },
  'step the clock': {
    target: 'clock',
    victims: ({ servers, workers }) =>
      [...servers, ...workers].flatMap((name) =>
        [-25 * hourMs, -hourMs, hourMs, 25 * hourMs].map((by) => `${name} by ${by} ms`),
      ),
  },
  'restart the database': { target: 'database', victims: () => ['fast', 'immediate'] },
  'fail over': { target: 'database', victims: () => ['the primary'] },
  'fill the disk': { target: 'database', victims: () => ['of the primary'] },
  'slow node': { target: 'node', victims: nodesOf },
  'lying node': { target: 'node', victims: nodesOf },
  'dead node': { target: 'node', victims: nodesOf },
  '429 storm': { target: 'discord', victims: () => ['shared', 'global'] },
  'Discord outage': { target: 'discord', victims: () => ['cut', 'error', 'lost writes'] },
} satisfies Record<string, { target: Target; victims: (setting: Setting) => string[] }>;

export type FaultKind = keyof typeof faultKinds;
export const allFaults = Object.keys(faultKinds) as FaultKind[]; // The keys of this table.

function nodesOf({ nodes }: Setting): string[] {
  return Array.from({ length: nodes }, (_, node) => String(node));
}

const choices = 1_000_000;
const secondFault = 0.4;

/** Generates all rounds in advance, so that the same seed gives the same schedule. Every kind of fault occurs. */
export function drawSchedule(dice: Dice, rounds: number, actions: number, setting: Setting): Round[] {
  const [leastMs, mostMs] = setting.lastsMs;
  let left: FaultKind[] = [];
  const drawKind = () => {
    if (left.length === 0) left = [...setting.faults];
    return left.splice(dice.below(left.length), 1)[0] ?? 'freeze';
  };
  const drawFault = (kind: FaultKind): Fault => ({ kind, victim: dice.pick(faultKinds[kind].victims(setting)) });
  return Array.from({ length: rounds }, () => {
    const first = drawKind();
    const others = setting.faults.filter((kind) => faultKinds[kind].target !== faultKinds[first].target);
    const kinds = others.length > 0 && dice.chance(secondFault) ? [first, dice.pick(others)] : [first];
    return {
      faults: kinds.map(drawFault),
      lastsMs: leastMs + dice.below(mostMs - leastMs),
      actions: Array.from({ length: actions }, () => ({
        kind: dice.pick(actionKinds),
        choice: dice.below(choices),
        other: dice.below(choices),
      })),
    };
  });
}

export function describeRound({ faults, lastsMs, actions }: Round): string {
  const struck = faults.map(({ kind, victim }) => `${kind} (${victim})`).join(' and ');
  return `${struck} for ${(lastsMs / 1000).toFixed(1)} s, ${actions.length} actions`;
}
