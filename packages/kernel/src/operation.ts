import type { Access } from './access.ts';
import type { AuditAction } from './audit-actions.ts';
import type { ErrorCode } from './error-codes.ts';
import { type Schema, T, type TSchema, type ValueOf } from './schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Route = `${Method} /${string}`;

/** Path, query and header parameters in the order the SDK passes them. */
export type Params = Record<string, TSchema>;

type OptionalKeys<P> = { [K in keyof P]: P[K] extends { '~optional': true } ? K : never }[keyof P];
export type ParamValues<P> = { [K in Exclude<keyof P, OptionalKeys<P>>]: ValueOf<P[K]> } & {
  [K in OptionalKeys<P>]?: ValueOf<P[K]>;
};

/** How a request body is sent. */
export interface Body<Value> {
  kind: 'json' | 'form' | 'raw';
  schema: Schema<Value>;
  /** The body may be omitted, and then needs no content type either. */
  isOptional?: boolean;
}

/** A JSON body that may be omitted. */
export function optional<Value>(schema: Schema<Value>): Body<Value | undefined> {
  return { kind: 'json', schema: T.Unsafe<Value | undefined>(schema), isOptional: true };
}

/** A form-encoded body. */
export function form<Value>(schema: Schema<Value>): Body<Value> {
  return { kind: 'form', schema };
}

/** The exact bytes of the body, for signatures of them. */
export const rawBody: Body<Uint8Array> = {
  kind: 'raw',
  schema: T.Unsafe<Uint8Array>(T.String({ description: 'The body as it was sent.', maxLength: 1_048_576 })),
};

/** How a response is sent, if it is not 200 with JSON. */
export interface Answer<Value> {
  kind: 'json' | 'none' | 'redirect' | 'png' | 'text' | 'events';
  status: 200 | 204 | 302;
  description: string;
  schema?: Schema<Value>;
}

export const NoContent: Answer<void> = { kind: 'none', status: 204, description: 'No content.' };
export const Redirect: Answer<{ location: string }> = {
  kind: 'redirect',
  status: 302,
  description: 'Redirects to the URL in the Location header.',
};
export const Png: Answer<Uint8Array> = { kind: 'png', status: 200, description: 'The picture.' };
export const PlainText: Answer<string> = {
  kind: 'text',
  status: 200,
  description: 'The text, or a JSON string if the request accepts application/json.',
};

/** A stream of events. */
export interface Feed<Event> {
  /** When it ends on its own. Clients that still listen then reconnect. */
  ttlSeconds: number;
  /** Starts to listen. Returns a function that stops. */
  open(hear: (event: Event) => void): () => void;
}

/** A stream of events that are kept, so that a caller who was disconnected resumes where it was. */
export interface KeptFeed<Event> {
  ttlSeconds: number;
  /** Reads the next events. The ids are those that a caller resumes after; the last one is where to read on. */
  read(after: string): Promise<{ events: readonly { id: string; event: Event }[]; next: string }>;
  /** The id that the first read starts after. */
  start: string;
  /** Calls `hear` when there may be more to read. Returns a function that stops. */
  watch(hear: () => void): () => void;
}

/** Events for as long as the caller listens and is authorized. */
export function eventsOf<Event>(event: Schema<Event>): Answer<Feed<Event>> {
  return {
    kind: 'events',
    status: 200,
    description: 'Server-sent events, each with one object as its data, until either side ends it.',
    schema: T.Unsafe<Feed<Event>>(event),
  };
}

/** The same for events that are kept. */
export function keptEventsOf<Event>(event: Schema<Event>): Answer<KeptFeed<Event>> {
  return {
    kind: 'events',
    status: 200,
    description:
      'Server-sent events, each with an id and one object as its data, until either side ends it. To resume, send the last id.',
    schema: T.Unsafe<KeptFeed<Event>>(event),
  };
}

export interface Deprecation {
  since: Day;
  /** The day after which it may be gone. Published operations have none: they stay. */
  until?: Day;
  /** The route to call instead. */
  use: string;
}

export type Day = `${number}-${number}-${number}`;

export interface Contract<P extends Params, B, A, Ctx> {
  /** A short name for lists. */
  summary: string;
  /** What it does, who may call it, and what to know before calling it. */
  description: string;
  /** The name of the verb; unique over the whole API. */
  id: string;
  /** `Controller.method` of the SDK that existing clients use; absent for operations of our own, below `/latchkey/`. */
  sdk?: `${string}.${string}`;
  access: Access<NoInfer<Ctx>>;
  params?: P;
  body?: Schema<B> | Body<B>;
  returns: Schema<A> | Answer<A>;
  /** `token`: limit and paginationToken in, items and paginationToken out. */
  paginated?: 'token' | 'offset' | 'before-after';
  /** Error codes beyond those that every operation can return. */
  errors?: readonly ErrorCode[];
  /**
   * External calls that must happen before the verb runs; throws to refuse the call. A repeatable verb runs in a
   * transaction, which must not wait for external services.
   */
  before?(ctx: NoInfer<Ctx>, input: ParamValues<P> & { body: B }): Promise<void>;
  /** May be repeated with the same Idempotency-Key: it then runs in one transaction with the record of its response. */
  repeatable?: boolean;
  /** For a change of what is read at another path: the path of that GET, with this operation's names for its parameters. If-Match names its ETag. */
  readAt?: `/${string}`;
  /** For a GET: it starts or finishes something, because it was published that way. */
  changes?: true;
  /** Clients should call another operation instead. */
  deprecated?: Deprecation;
  /** The audited action of a success, for operations that act on accounts, keys, communities or rules. */
  audit?: AuditAction;
  /** Parameters and body fields to include in the audit entry; `reason` or `notes` is the entry's reason. */
  auditedFields?: readonly string[];
  /** Served by a protocol library that the server mounts at this path; the contract describes it like any other. */
  mounted?: boolean;
}

export type Verb<P extends Params, B, A, Ctx> = (ctx: Ctx, input: ParamValues<P> & { body: B }) => Promise<A> | A;

/** One operation of the API: its contract and the verb that implements it. */
export interface Operation<R extends Route = Route, P extends Params = Params, B = unknown, A = unknown, Ctx = never> {
  route: R;
  method: Method;
  path: string;
  contract: Contract<P, B, A, Ctx>;
  params: P;
  body: Body<B> | undefined;
  answer: Answer<A>;
  // Declared as a method so that a list can contain operations of every shape; only the pipeline calls it, with
  // validated input.
  verb(ctx: Ctx, input: ParamValues<P> & { body: B }): Promise<A> | A;
}

export function op<const R extends Route, Ctx, B = undefined, A = void, P extends Params = Record<never, never>>(
  route: R,
  contract: Contract<P, B, A, Ctx>,
  verb: Verb<P, B, A, Ctx>,
): Operation<R, P, B, A, Ctx> {
  const [method, path] = route.split(' ') as [Method, string];
  const { body, returns } = contract;
  return {
    route,
    method,
    path,
    contract,
    params: contract.params ?? ({} as P),
    body: body === undefined ? undefined : isBody(body) ? body : { kind: 'json', schema: body },
    answer: isAnswer(returns) ? returns : { kind: 'json', status: 200, description: 'The response.', schema: returns },
    verb,
  };
}

/** Replaces the verb of a mounted operation. */
export function servedByMount(): never {
  throw new Error('A mounted operation is handled by the mounted handler and has no HTTP method.');
}

function isBody<B>(body: Schema<B> | Body<B>): body is Body<B> {
  return 'kind' in body && 'schema' in body;
}

function isAnswer<A>(returns: Schema<A> | Answer<A>): returns is Answer<A> {
  return 'kind' in returns && 'status' in returns;
}

/** Returns where a parameter is sent: in the path, in a header, or else in the query. */
export function placeOf(
  operation: Pick<Operation, 'path'>,
  name: string,
  schema: TSchema,
): 'path' | 'query' | 'header' {
  if (operation.path.includes(`{${name}}`)) return 'path';
  return (schema as { 'x-in'?: string })['x-in'] === 'header' ? 'header' : 'query';
}

/** Whether an operation is Latchkey's own, rather than one of the published API that existing clients call. */
export function isOwnOperation({ path }: Pick<Operation, 'path'>): boolean {
  return path.startsWith('/latchkey/');
}

/** Whether an operation replaces, changes or removes what its path names. */
export function isChange({ method, contract }: Pick<Operation, 'method' | 'contract'>): boolean {
  return contract.mounted !== true && (method === 'PUT' || method === 'PATCH' || method === 'DELETE');
}

/**
 * Returns the operation that reads what a change changes: the GET of the same path, or of `readAt`, if it returns the
 * whole object to callers who send no other parameters. Its responses have an ETag, which the change accepts in If-Match.
 */
export function readerOf(change: Operation, operations: readonly Operation[]): Operation | undefined {
  if (!isChange(change)) return undefined;
  return operations.find(
    (one) =>
      one.method === 'GET' &&
      withoutNames(one.path) === withoutNames(change.contract.readAt ?? change.path) &&
      one.answer.kind === 'json' &&
      one.contract.changes !== true &&
      one.contract.paginated === undefined &&
      Object.entries(one.params).every(([name, schema]) => one.path.includes(`{${name}}`) || '~optional' in schema),
  );
}

/** Returns the path parameters of a reader, from those of the change that it is the reader of. */
export function readerInput<V>(
  change: Operation,
  reader: Operation,
  input: Readonly<Record<string, V>>,
): Record<string, V> {
  const given = namesIn(change.contract.readAt ?? change.path);
  const named = namesIn(reader.path).map((name, at) => [name, input[given[at] ?? name]] as const);
  return Object.fromEntries(named.filter((entry): entry is readonly [string, V & {}] => entry[1] !== undefined));
}

function withoutNames(path: string): string {
  return path.replace(/\{\w+\}/g, '{}');
}

function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** Marks a parameter as a request header. */
export function inHeader<S extends TSchema>(schema: S): S & { 'x-in': 'header' } {
  return Object.assign(schema, { 'x-in': 'header' as const });
}

/** The operations of one resource, in the order the documentation shows them. */
export interface Resource<Name extends string = string, Ops extends readonly unknown[] = readonly Operation[]> {
  name: Name;
  description: string;
  operations: Ops;
}

export function resource<const Name extends string, const Ops extends readonly unknown[]>(
  name: Name,
  description: string,
  operations: Ops,
): Resource<Name, Ops> {
  return { name, description, operations };
}
