import type { Gate } from './gate.ts';
import { type GuardOptions, guard } from './guard.ts';
import type { Verdict } from './verdict.ts';

/** The part of Fastify's request that is needed. */
export interface FastifyRequestLike {
  headers: { accept?: string | undefined };
  /** The verdict, for the handlers behind the gate. */
  holder?: Verdict;
}

export interface FastifyReplyLike {
  code(status: number): FastifyReplyLike;
  headers(headers: Record<string, string>): FastifyReplyLike;
  send(body: string): FastifyReplyLike;
}

/** A hook for Fastify: `app.get('/members', { preHandler: fastifyGate(gate, { visitor }) }, handler)`. */
export function fastifyGate<Req extends FastifyRequestLike>(gate: Gate, options: GuardOptions<Req>) {
  return async (request: Req, reply: FastifyReplyLike): Promise<unknown> => {
    const outcome = await guard(gate, options, request, request.headers.accept);
    if (outcome.refusal === undefined) {
      request.holder = outcome.holder;
      return undefined;
    }
    const { status, headers, body } = outcome.refusal;
    return reply.code(status).headers(headers).send(body);
  };
}
