import { AsyncLocalStorage } from 'node:async_hooks';

/** The origin of the current work. It follows the work through every await, and through jobs by their rows. */
export interface Origin {
  /** The request that asked for it, however many jobs ago. */
  requestId?: string | undefined;
  /** The span that is open, where traces are on. */
  span?: Span | undefined;
}

/** A part of a trace that has begun. */
export interface Span {
  /** As W3C Trace Context writes it. */
  readonly traceParent: string;
  /** Whether this trace is one of those that are kept. */
  readonly isKept: boolean;
  set(facts: SpanFacts): void;
  end(error?: unknown): void;
}

/** Few values, and no ids of people, addresses, texts or keys: spans leave this installation. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  name: string;
  kind: 'server' | 'client' | 'internal' | 'consumer';
  facts?: SpanFacts;
  /** For what is reported once it is over. */
  startedMsAgo?: number;
}

/** Begins spans: what keeps traces puts one here. */
export type BeginSpan = (start: SpanStart, parent: Span | string | undefined) => Span;

const store = new AsyncLocalStorage<Origin>();
let begin: BeginSpan | undefined;

/** Answers how to switch traces off again. */
export function switchTracesOn(beginSpan: BeginSpan): () => void {
  begin = beginSpan;
  return () => {
    if (begin === beginSpan) begin = undefined;
  };
}

export function currentOrigin(): Origin | undefined {
  return store.getStore();
}

export function runFrom<Result>(origin: Origin | undefined, work: () => Result): Result {
  return store.run(origin ?? {}, work);
}

/** A span that the caller ends; undefined while traces are off. `parent` is as W3C Trace Context writes it. */
export function openSpan(start: SpanStart, parent?: string): Span | undefined {
  return begin?.(start, parent);
}

export function areTracesOn(): boolean {
  return begin !== undefined;
}

/** Whether what goes on here belongs to a trace that is kept. */
export function isTraced(): boolean {
  return begin !== undefined && store.getStore()?.span?.isKept === true;
}

/** A span within the one that is open; undefined without one, so that polling and housekeeping leave no traces. */
export function openInner(start: () => SpanStart): Span | undefined {
  if (begin === undefined) return undefined;
  const span = store.getStore()?.span;
  return span?.isKept ? begin(start(), span) : undefined;
}

/** Runs `work` as a part of the span that is open, if any. */
export async function traced<Result>(start: () => SpanStart, work: () => Promise<Result>): Promise<Result> {
  const span = openInner(start);
  return span === undefined ? work() : within(span, work);
}

/** Runs `work` with a span open, and ends it. */
async function within<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await store.run({ ...store.getStore(), span }, work);
    span.end();
    return result;
  } catch (error) {
    span.end(error ?? new Error('failed'));
    throw error;
  }
}
