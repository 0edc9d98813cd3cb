import { type Operation, type Resource, readerOf } from '@latchkey/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { eventHeaders, type LiveStreams } from '../live/index.ts';
import { compileOperation } from './compile.ts';
import { openToPages } from './cors.ts';
import { deprecationHeaders } from './deprecation.ts';
import { varyByAccept } from './negotiate.ts';
import { afterBody, beforeBody } from './pipeline.ts';
import { isKnown, tagOf } from './preconditions.ts';
import type { Server, Step, Visit } from './visit.ts';

const visitKey = Symbol('visit');

// Stored on the request: a WeakMap of all requests would slow down every garbage collection.
type Visiting = FastifyRequest & { [visitKey]?: Visit | null };

/** Returns the visit of a request, if it is to an operation. */
export function visitOf(request: Visiting): Visit | undefined {
  return request[visitKey] ?? undefined;
}

/** Serves every operation by its contract. There is no code per route. */
export function addOperations(
  fastify: FastifyInstance,
  resources: readonly Resource[],
  server: Server,
  streams: LiveStreams,
): void {
  const operations = resources.flatMap((resource) => resource.operations);
  const readers = new Map(operations.map((operation) => [operation, readerOf(operation, operations)]));
  const versioned = new Set(readers.values());
  fastify.decorateRequest(visitKey, null);
  for (const operation of operations.filter(({ contract }) => contract.mounted !== true)) {
    const compiled = compileOperation(operation);
    const deprecation = deprecationHeaders(operation);
    const route = { reader: readers.get(operation), isVersioned: versioned.has(operation) };
    fastify.route({
      method: operation.method,
      url: urlOf(operation),
      // HEAD is safe (RFC 9110 9.2.1), and link previews send it: it must not trigger what a published GET does.
      exposeHeadRoute: operation.method === 'GET' && operation.contract.changes !== true,
      onRequest: async (request: Visiting, reply) => {
        const visit = startVisit(request, reply, { ...route, operation, compiled });
        request[visitKey] = visit;
        openToPages(reply);
        reply.headers(deprecation);
        await walk(beforeBody, visit, server);
      },
      handler: async (request, reply) => {
        const visit = visitOf(request);
        if (visit === undefined) throw new Error('The request has not passed the first pipeline steps.');
        await walk(afterBody, visit, server);
        return writeReply(visit, reply, streams);
      },
    });
  }
}

/** Fails the start of a server if a declared operation has no handler. */
export function checkMounted(fastify: FastifyInstance, resources: readonly Resource[]): void {
  fastify.addHook('onReady', async () => {
    const mounted = resources
      .flatMap(({ operations }) => operations)
      .filter(({ contract }) => contract.mounted === true);
    const missing = mounted.filter(
      (operation) => !fastify.hasRoute({ method: operation.method, url: urlOf(operation) }),
    );
    if (missing.length > 0)
      throw new Error(`No handler is mounted for ${missing.map(({ route }) => route).join(', ')}.`);
  });
}

function urlOf({ path }: Operation): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

function startVisit(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Pick<Visit, 'operation' | 'compiled' | 'reader' | 'isVersioned'>,
): Visit {
  return {
    request,
    reply,
    ...route,
    actor: { kind: 'anonymous' },
    client: undefined,
    isConsole: false,
    isUse: true,
    input: {},
    idempotencyKey: undefined,
    answer: undefined,
    warnings: [],
    errorCode: undefined,
  };
}

async function walk(steps: readonly Step[], visit: Visit, server: Server): Promise<void> {
  for (const step of steps) {
    const pending = step(visit, server);
    if (pending !== undefined) await pending;
  }
}

function writeReply(visit: Visit, reply: FastifyReply, streams: LiveStreams): FastifyReply {
  const { operation, answer, compiled, warnings } = visit;
  reply.code(operation.answer.status);
  if (warnings.length > 0) reply.header('latchkey-warnings', toAscii(JSON.stringify(warnings)));
  switch (operation.answer.kind) {
    case 'none':
      return reply.send();
    case 'redirect':
      return reply.header('location', (answer as { location: string }).location).send();
    case 'png':
      return reply.type('image/png').send(Buffer.from(answer as Uint8Array));
    case 'text':
      return writeText(String(answer), reply);
    case 'events':
      return reply.headers(eventHeaders).send(streams.open(visit));
    case 'json': {
      const json = compiled.writeAnswer(answer);
      if (isWhole(visit) && isKnown(tagOf(json), visit.request, reply)) return reply.code(304).send();
      return reply.type('application/json; charset=utf-8').send(withWarnings(json, warnings));
    }
  }
}

/** Whether a response shows an object as a change of it compares it: without parameters that select a part. */
function isWhole({ isVersioned, request }: Visit): boolean {
  return isVersioned && Object.keys(request.query as object).length === 0;
}

/** Adds `warnings` to a JSON object. Other responses, and those with a field of that name, only have the header. */
function withWarnings(json: string, warnings: readonly string[]): string {
  if (warnings.length === 0 || !json.startsWith('{')) return json;
  const answer: object = JSON.parse(json);
  if (Object.hasOwn(answer, 'warnings')) return json;
  const rest = json.slice(1);
  return `${json.slice(0, -1)}${rest === '}' ? '' : ','}"warnings":${JSON.stringify(warnings)}}`;
}

/** Header values are ASCII; the rest is escaped as JSON. */
function toAscii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Writes text as is, or as JSON for clients that request JSON: some parse every response as JSON or YAML and would
 * break on plain text.
 */
function writeText(text: string, reply: FastifyReply): FastifyReply {
  varyByAccept(reply);
  const wantsJson = /\bapplication\/json\b(?!\s*;\s*q=0(?:\.0*)?(?:\s|,|;|$))/i.test(
    reply.request.headers.accept ?? '',
  );
  return wantsJson
    ? reply.type('application/json; charset=utf-8').send(JSON.stringify(text))
    : reply.type('text/plain; charset=utf-8').send(text);
}
