import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Gate } from './gate.ts';
import { type GuardOptions, guard } from './guard.ts';
import type { Verdict } from './verdict.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The verdict, for the handlers behind a `fastifyGate`. */
    holder?: Verdict;
  }
}

/** A hook for Fastify: `app.get('/members', { preHandler: fastifyGate(gate, { visitor }) }, handler)`; then `request.holder`. */
export function fastifyGate(gate: Gate, options: GuardOptions<FastifyRequest>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const outcome = await guard(gate, options, request, request.headers.accept);
    if (outcome.refusal === undefined) {
      request.holder = outcome.holder;
      return undefined;
    }
    const { status, headers, body } = outcome.refusal;
    return reply.code(status).headers(headers).send(body);
  };
}
