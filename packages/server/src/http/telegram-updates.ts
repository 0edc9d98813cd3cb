import { telegramRoute } from '@latchkey/core';
import { AppError } from '@latchkey/kernel';
import type { FastifyInstance } from 'fastify';
import type { HttpOptions } from './http-options.ts';

/** Where Telegram posts what happens in chats. Served only where a bot is configured. */
export function addTelegramUpdates(fastify: FastifyInstance, { telegramUpdates }: HttpOptions): void {
  if (telegramUpdates === undefined) return;
  fastify.route({
    method: telegramRoute.method,
    url: telegramRoute.path,
    // Before the body is read: a stranger has none of it kept.
    onRequest: (request, _reply, done) => {
      const secret = request.headers[telegramRoute.secretHeader];
      if (typeof secret !== 'string')
        return done(new AppError('AUTHENTICATION_REQUIRED', 'Send the secret that Telegram was told.'));
      done(
        telegramUpdates.isGenuine(secret)
          ? undefined
          : new AppError('INVALID_CREDENTIAL', 'This is not the secret that Telegram was told.'),
      );
    },
    handler: async ({ body }, reply) => {
      await telegramUpdates.take(Buffer.isBuffer(body) ? body.toString('utf8') : '');
      // An answer with a body would be taken for a call of a method.
      return reply.code(200).send();
    },
  });
}
