import { AppError } from '@latchkey/kernel';
import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { paths } from './configuration.ts';

const form = 'application/x-www-form-urlencoded';
/** As much as an address can carry. */
const maxFormBytes = 4096;

/**
 * Takes requests of applications that come as a form, which OpenID Connect Core 3.1.2.1 asks for. The browser goes on
 * with the same request as an address: a form of another site comes without the cookies of this one.
 */
export function addPostedRequests(
  fastify: FastifyInstance,
  { baseUrl, onRequest }: { baseUrl: string; onRequest: onRequestAsyncHookHandler },
): void {
  fastify.addContentTypeParser(form, { parseAs: 'string', bodyLimit: maxFormBytes }, (_request, body, done) =>
    done(null, body),
  );
  fastify.post(paths.authorize, { onRequest }, async ({ body }, reply) => {
    if (typeof body !== 'string') throw new AppError('UNSUPPORTED_MEDIA_TYPE', `Send the request as ${form}.`);
    return reply.redirect(`${baseUrl}${paths.authorize}?${new URLSearchParams(body)}`, 303);
  });
}
