import { AppError } from '@latchkey/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { openToPages } from '../http/cors.ts';
import { toAppError } from '../http/errors.ts';
import type { HttpOptions } from '../http/http-options.ts';
import { logFailure } from '../http/log-failure.ts';
import { readJson } from '../http/read-json.ts';
import { limitRate } from '../http/steps/limit-rate.ts';
import { callAs, type OperationAnswer } from './call-operation.ts';
import { challengeFor } from './challenge.ts';
import { openDocs } from './docs.ts';
import { docsTools } from './docs-tools.ts';
import { operationTools } from './operation-tools.ts';
import { describeResource, metadataPath } from './resource-metadata.ts';
import { ruleTool } from './rule-tool.ts';
import { createSearchThread } from './search-thread.ts';
import type { Tool } from './tool.ts';

/** Reads only, so that an agent that is talked into something can change nothing; and the same with acts, for who chose it. */
const doors = [
  { path: '/mcp', acts: false },
  { path: '/mcp/act', acts: true },
];

/** Room for the largest input of a tool. Anyone may send a message, so that it is half of what operations take. */
const maxMessageBytes = 512 * 1024;

/** Serves agents by the Model Context Protocol: the documentation to everyone, the API to those who may use it. */
export function addMcp(fastify: FastifyInstance, { server, resources }: HttpOptions): void {
  const { baseUrl } = server.services.settings;
  const { portalUrl } = server.config;
  const log = server.services.log.for('mcp');
  const searchThread = createSearchThread();
  fastify.addHook('onClose', () => searchThread.close());
  const docs = portalUrl === undefined ? [] : docsTools(openDocs(portalUrl, server.services.clock, searchThread));
  const open = [ruleTool, ...docs];
  // Who asks is counted again by each operation that is called for them.
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    openToPages(reply);
    await limitRate({ actor: { kind: 'anonymous' }, client: undefined, request, reply }, server);
  };
  for (const { path, acts } of doors) {
    let tools: Tool[] | undefined;
    fastify.get(`${metadataPath}${path}`, { onRequest }, async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(JSON.stringify(describeResource(baseUrl, path, portalUrl))),
    );
    fastify.route({
      method: ['GET', 'POST', 'DELETE'],
      url: path,
      bodyLimit: maxMessageBytes,
      onRequest,
      handler: async (request, reply) => {
        tools ??= [...open, ...operationTools(resources, { acts, searchThread })];
        return answer(request, reply, tools, path);
      },
    });
  }

  async function answer(request: FastifyRequest, reply: FastifyReply, tools: readonly Tool[], path: string) {
    let refused: OperationAnswer | undefined;
    let challenge: string | undefined;
    const isBearer = /^bearer /i.test(request.headers.authorization ?? '');
    const callOperation = callAs(request, fastify);
    const body = request.method === 'POST' ? readMessage(request) : undefined;
    // With the packages of the protocol, which no server needs that no agent calls.
    const { serveMessage } = await import('./serve-messages.ts');
    const response = await serveMessage({ request: toWebRequest(request, baseUrl, path), body }, tools, {
      call: async (operation, input) => {
        const answered = await callOperation(operation, input);
        challenge = challengeFor(operation, answered, { isBearer, baseUrl, path });
        if (challenge !== undefined || answered.status === 429) refused = answered;
        return answered;
      },
      noteFailure: (error) => logFailure(log, error, toAppError(error), request),
    });
    // An agent learns from the status that it has to sign in or to wait; the text of a tool tells its model only.
    if (challenge !== undefined) reply.header('www-authenticate', challenge);
    if (refused !== undefined)
      return reply.code(refused.status).type('application/json; charset=utf-8').send(refused.body);
    const type = response.headers.get('content-type');
    if (type !== null) reply.type(type);
    const allow = response.headers.get('allow');
    if (allow !== null) reply.header('allow', allow);
    return reply.code(response.status).send(response.body === null ? undefined : await response.text());
  }
}

/** One message, read as strictly as every other body. */
function readMessage({ body }: FastifyRequest): unknown {
  if (!(body instanceof Uint8Array)) throw new AppError('INVALID_BODY', 'Send one JSON-RPC message.');
  const message = readJson(Buffer.from(body).toString('utf8'));
  // Several at once would be several requests that count as one.
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw new AppError('INVALID_BODY', 'Send one JSON-RPC message at a time.');
  // Nothing here changes by itself, and a stream without an end would only hold the connection.
  if ('method' in message && message.method === 'subscriptions/listen')
    throw new AppError('INVALID_BODY', 'There is nothing to subscribe to.');
  return message;
}

function toWebRequest({ method, headers }: FastifyRequest, baseUrl: string, path: string): Request {
  const names = ['accept', 'content-type', 'mcp-method', 'mcp-name', 'mcp-protocol-version', 'mcp-session-id'];
  const kept = names.flatMap((name): [string, string][] => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return new Request(`${baseUrl}${path}`, { method, headers: kept });
}
