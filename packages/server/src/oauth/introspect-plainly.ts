import type { IncomingMessage } from 'node:http';
import { introspectOwnToken, type OwnTokenQuestion, type Services } from '@latchkey/core';
import type { FastifyReply, FastifyRequest } from 'fastify';

const basic = /^Basic ([A-Za-z0-9+/]{1,512}={0,2})$/i;
// Nothing in it that would have to be decoded, so that there is only one way to read it.
const credentials = /^([0-9A-Za-z_-]{1,64}):([0-9A-Za-z_-]{1,128})$/;
const question = /^token=(lk_at_[A-Za-z0-9_-]{43})(?:&token_type_hint=access_token)?$/;
const formType = /^application\/x-www-form-urlencoded(?:; ?charset=utf-8)?$/i;
/** What lets the provider see another caller or another credential. */
const otherHeaders = [
  'origin',
  'dpop',
  'oauth-client-attestation',
  'oauth-client-attestation-pop',
  'transfer-encoding',
];

/**
 * Answers the question that programs ask for each of their own requests: is this token, which is my application's own, still
 * good? Every other request is left as it came, for the provider to read and to decide on: the answer is then undefined.
 */
export function introspectPlainly(
  services: Services,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined> {
  return async (request, reply) => {
    const asked = readPlainly(request);
    const told = asked && (await introspectOwnToken(services, asked));
    if (told === undefined) return undefined;
    request.raw.resume();
    reply.header('vary', 'Origin');
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(told));
  };
}

function readPlainly({ headers, raw }: FastifyRequest): OwnTokenQuestion | undefined {
  if (otherHeaders.some((name) => headers[name] !== undefined) || raw.url?.includes('?') === true) return undefined;
  if (!formType.test(headers['content-type'] ?? '')) return undefined;
  const [, encoded] = basic.exec(headers.authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const [, clientId, clientSecret] = credentials.exec(Buffer.from(encoded, 'base64').toString('latin1')) ?? [];
  const [, token] = question.exec(peekBody(raw, Number(headers['content-length'])) ?? '') ?? [];
  if (clientId === undefined || clientSecret === undefined || token === undefined) return undefined;
  return { clientId, clientSecret, token };
}

/** The body, if all of it is here already. It stays unread for whoever comes next. */
function peekBody(raw: IncomingMessage, length: number): string | undefined {
  const chunk: unknown = raw.read();
  if (!Buffer.isBuffer(chunk)) return undefined;
  raw.unshift(chunk);
  return chunk.length === length ? chunk.toString('latin1') : undefined;
}
