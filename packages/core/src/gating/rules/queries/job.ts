import type { HeldToken } from '../../../ports/index.ts';
import type { TraitFilter } from '../traits.ts';
import type { QueryFailed } from './query-failed.ts';
import type { Query } from './read-query.ts';

/** Work for a query thread: a query, or a filter that contains queries. It must be serializable. */
export type QueryJob =
  | { kind: 'query'; query: Query; input: unknown; variables: Readonly<Record<string, unknown>> }
  | { kind: 'traits'; filter: TraitFilter; tokens: readonly Pick<HeldToken, 'id' | 'amount' | 'metadata'>[] };

export type QueryAnswer = { isYes: boolean } | { failure: Pick<QueryFailed, 'kind' | 'message'> };

/** The jobs of one request, in order. */
export interface QueryBatch {
  /** Who submitted it: callers take turns. */
  caller: string;
  now: Date;
  leftMs: number;
  jobs: readonly QueryJob[];
}

/** An answer for each job, and how long they computed. */
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
