import { AsyncLocalStorage } from 'node:async_hooks';

/** The origin of the current work. It follows the work through every await, and through jobs by their rows. */
export interface Origin {
  /** The request that caused it, however many jobs ago. */
  requestId?: string | undefined;
  /** The open span, if tracing is on. */
  span?: Span | undefined;
}

/** An open part of a trace. */
export interface Span {
  /** In W3C Trace Context format. */
  readonly traceParent: string;
  /** Whether this trace is sampled. */
  readonly isKept: boolean;
  set(facts: SpanFacts): void;
  end(error?: unknown): void;
}

/** Few values, and no user ids, addresses, texts or keys: spans leave this installation. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  name: string;
  kind: 'server' | 'client' | 'internal' | 'consumer';
  facts?: SpanFacts;
  /** For spans that are reported after they ended. */
  startedMsAgo?: number;
}

/** Starts spans; set by the code that collects traces. */
export type BeginSpan = (start: SpanStart, parent: Span | string | undefined) => Span;

const store = new AsyncLocalStorage<Origin>();
let begin: BeginSpan | undefined;

/** Returns a function that turns tracing off again. */
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

/** Opens a span that the caller ends; undefined while tracing is off. `parent` is in W3C Trace Context format. */
export function openSpan(start: SpanStart, parent?: string): Span | undefined {
  return begin?.(start, parent);
}

export function areTracesOn(): boolean {
  return begin !== undefined;
}

/** Whether the current work belongs to a sampled trace. */
export function isTraced(): boolean {
  return begin !== undefined && store.getStore()?.span?.isKept === true;
}

/** Opens a span within the current one; undefined without one, so that polling and housekeeping are not traced. */
export function openInner(start: () => SpanStart): Span | undefined {
  if (begin === undefined) return undefined;
  const span = store.getStore()?.span;
  return span?.isKept ? begin(start(), span) : undefined;
}

/** Runs `work` in a span within the current one, if any. */
export async function traced<Result>(start: () => SpanStart, work: () => Promise<Result>): Promise<Result> {
  const span = openInner(start);
  return span === undefined ? work() : within(span, work);
}

/** Runs `work` in a span, and ends it. */
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
