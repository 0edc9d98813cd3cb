import type { Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import type { Figures, ToMember } from './messages.ts';

const patienceMs = 2_000;

export interface FigureCollector {
  /** The figures of these processes as one text. One that does not tell its own in time is left out. */
  collect(members: readonly Worker[]): Promise<string>;
  /** Takes what a process told. */
  take(id: number, figures: Figures): void;
}

/** Collects the figures of all processes, since who asks for them reaches any one of these. */
export function createFigureCollector(tell: (worker: Worker, message: ToMember) => void): FigureCollector {
  const awaited = new Map<number, (figures: Figures) => void>();
  let asked = 0;

  async function ask(worker: Worker): Promise<Figures> {
    asked += 1;
    const id = asked;
    const answer = Promise.withResolvers<Figures>();
    const none = () => answer.resolve([]);
    const late = setTimeout(none, patienceMs);
    worker.once('exit', none);
    awaited.set(id, answer.resolve);
    tell(worker, { kind: 'tell-figures', id });
    const figures = await answer.promise;
    clearTimeout(late);
    worker.off('exit', none);
    awaited.delete(id);
    return figures;
  }

  return {
    collect: async (members) => AggregatorRegistry.aggregate(await Promise.all(members.map(ask))).metrics(),
    take: (id, figures) => awaited.get(id)?.(figures),
  };
}
