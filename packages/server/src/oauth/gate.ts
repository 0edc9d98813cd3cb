import type { FastifyReply, FastifyRequest } from 'fastify';
import { limitRate } from '../http/steps/limit-rate.ts';
import type { Server } from '../http/visit.ts';

/**
 * Counts a request before anything looks at it. By address, even for applications: who asks is known only once their
 * secret was compared, and the limit is there for those who guess.
 */
export function createGate(server: Server): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return (request, reply) => limitRate({ actor: { kind: 'anonymous' }, client: undefined, request, reply }, server);
}
