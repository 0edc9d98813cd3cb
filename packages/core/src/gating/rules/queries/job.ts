import type { HeldToken } from '../../../ports/index.ts';
import type { TraitFilter } from '../traits.ts';
import type { QueryFailed } from './query-failed.ts';
import type { Query } from './read-query.ts';

/** What is decided apart: a query, or a filter that has queries in it. It must be possible to send it to another thread. */
export type QueryJob =
  | { kind: 'query'; query: Query; input: unknown; variables: Readonly<Record<string, unknown>> }
  | { kind: 'traits'; filter: TraitFilter; tokens: readonly Pick<HeldToken, 'id' | 'amount' | 'metadata'>[] };

export type QueryAnswer = { isYes: boolean } | { failure: Pick<QueryFailed, 'kind' | 'message'> };

/** The jobs of one request, in order. */
export interface QueryBatch {
  /** Who asks: callers take turns. */
  caller: string;
  now: Date;
  leftMs: number;
  jobs: readonly QueryJob[];
}

/** An answer to each job, and how long they computed. */
export interface BatchAnswer {
  answers: readonly QueryAnswer[];
  tookMs: number;
}

export function toAnswer({ kind, message }: QueryFailed): QueryAnswer {
  return { failure: { kind, message } };
}

export function failAll({ jobs }: Pick<QueryBatch, 'jobs'>, reason: QueryFailed): BatchAnswer {
  return { answers: jobs.map(() => toAnswer(reason)), tookMs: 0 };
}
