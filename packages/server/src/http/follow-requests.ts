import { areTracesOn, openSpan, runFrom, type Span, type SpanStart } from '@latchkey/db/origin';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const spans = new WeakMap<FastifyRequest, Span>();

/**
 * Makes everything that a request leads to carry its id: log lines, jobs, and spans where traces are on. Said twice, since
 * what comes after a body is read runs in the context of its connection.
 */
export function followRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const span = areTracesOn() ? openSpan(startOf(request), traceParentOf(request)) : undefined;
    if (span !== undefined) spans.set(request, span);
    runFrom({ requestId: request.id, span }, done);
  });
  fastify.addHook('preHandler', (request, _reply, done) => {
    runFrom({ requestId: request.id, span: spans.get(request) }, done);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    span?.set({ 'http.response.status_code': reply.statusCode, 'latchkey.request_id': request.id });
    span?.end(reply.statusCode >= 500 ? new Error(`${reply.statusCode}`) : undefined);
    done();
  });
}

function startOf({ method, routeOptions: { url = 'unknown' } }: FastifyRequest): SpanStart {
  return { name: `${method} ${url}`, kind: 'server', facts: { 'http.request.method': method, 'http.route': url } };
}

/** Only a proxy of the operator may say which trace a request belongs to: a stranger would fill the operator's traces. */
function traceParentOf({ headers, ips = [] }: FastifyRequest): string | undefined {
  const { traceparent } = headers;
  return ips.length > 1 && typeof traceparent === 'string' ? traceparent : undefined;
}
