import { messagesIn, type ServerMessages } from '@latchkey/core';
import type { AppError, Log } from '@latchkey/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toAppError } from '../../http/errors.ts';
import { localeOf } from '../../http/locale-of.ts';
import { sendPage } from '../../pages/index.ts';

/** Shows errors as a page: the reader is a person who followed a link. */
export function showProblems<Route extends FastifyRequest>(
  log: Log,
  answer: (request: Route, reply: FastifyReply) => Promise<FastifyReply>,
): (request: Route, reply: FastifyReply) => Promise<FastifyReply> {
  return async (request, reply) => {
    try {
      return await answer(request, reply);
    } catch (error) {
      const problem = toAppError(error);
      // Unexpected errors take the usual path and are logged.
      if (problem.code === 'INTERNAL_ERROR') throw error;
      if (problem.status >= 500)
        log.warn('A login could not be completed.', { reason: reasonOf(problem), requestId: request.id });
      if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', problem.retryAfterSeconds);
      // 401 requires a scheme with which the browser can authenticate (RFC 9110 15.5.2), and there is none.
      reply.code(problem.status === 401 ? 400 : problem.status);
      return sendPage(reply, {
        page: 'notice',
        title: titleOf(problem, messagesIn(localeOf(request))),
        text: problem.message,
      });
    }
  };
}

function reasonOf({ cause, message }: AppError): string {
  return cause instanceof Error ? cause.message : message;
}

// A missing configuration does not fix itself.
function titleOf({ code }: AppError, say: ServerMessages): string {
  return say(code === 'UNAVAILABLE' ? 'refused.tryShortly' : 'refused.loggedOut');
}
