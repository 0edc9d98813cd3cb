import type { FaultProxy, RpcFault } from '@latchkey/chains/testing';
import type { StandbyPair } from '@latchkey/db/testing';
import type { DiscordEmulator, Misbehaviour } from '@latchkey/emulators/discord';
import type { Crew } from './crew.ts';
import type { Fault, FaultKind } from './schedule.ts';

/** Everything that can be made to fail. */
export interface Fixture {
  crew: Crew;
  discord: DiscordEmulator;
  proxies: readonly FaultProxy[];
  pair?: StandbyPair;
}

type Heal = () => Promise<void> | void;
type Strike = (fixture: Fixture, victim: string) => Promise<Heal> | Heal;

const lies: readonly RpcFault[] = ['zero-balances', 'zero', 'stale', 'wrong-chain', 'garble'];
const lyingShare = 0.6;
const roleWrites = /(PUT|PATCH|DELETE) .*members/;

const outages: Readonly<Record<string, Misbehaviour>> = {
  cut: { kind: 'outage' },
  error: { kind: 'error', status: 502, probability: 0.7 },
  'lost writes': { kind: 'lost-write', on: roleWrites, probability: 0.5 },
};

function misbehave(...faults: RpcFault[]): Strike {
  return ({ proxies }, node) => {
    proxies[Number(node)]?.misbehave(faults);
    return () => proxies[Number(node)]?.behave();
  };
}

const strikes: Record<FaultKind, Strike> = {
  kill: async ({ crew }, name) => {
    await crew.kill(name);
    return () => crew.replace(name);
  },
  freeze: ({ crew }, name) => {
    crew.signal(name, 'SIGSTOP');
    return () => crew.signal(name, 'SIGCONT');
  },
  'step the clock': async ({ crew }, victim) => {
    const [, name = '', byMs] = /^(.*) by (-?\d+) ms$/.exec(victim) ?? [];
    await crew.setClock(name, Number(byMs));
    return () => crew.setClock(name, 0);
  },
  'restart the database': async ({ pair }, mode) => {
    await pair?.restart(mode === 'fast' ? 'fast' : 'immediate');
    return () => undefined;
  },
  'fail over': async ({ pair }) => {
    await pair?.failOver();
    return () => pair?.rejoin();
  },
  'fill the disk': async ({ pair }) => {
    await pair?.fillDisk?.();
    return () => pair?.freeDisk();
  },
  'slow node': misbehave('slow'),
  'lying node': ({ proxies }, node) => {
    proxies[Number(node)]?.misbehave(lies, lyingShare);
    return () => proxies[Number(node)]?.behave();
  },
  'dead node': misbehave('fail', 'drop', 'hang', 'refuse'),
  '429 storm': ({ discord }, scope) =>
    discord.misbehave({
      kind: 'rate-limit',
      probability: 0.8,
      retryAfterSeconds: 1,
      scope: scope === 'global' ? 'global' : 'shared',
    }),
  'Discord outage': ({ discord }, way) => discord.misbehave(outages[way] ?? { kind: 'outage' }),
};

/** Injects a fault, and returns the function that ends it. */
export async function strike(fixture: Fixture, { kind, victim }: Fault): Promise<Heal> {
  return strikes[kind](fixture, victim);
}
