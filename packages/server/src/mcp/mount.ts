import { Readable } from 'node:stream';
import { ruleInWords } from '@latchkey/core';
import { readRule } from '@latchkey/core/rule-language';
import { AppError, type Operation, T } from '@latchkey/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { openToPages } from '../http/cors.ts';
import { toAppError } from '../http/errors.ts';
import type { HttpOptions } from '../http/http-options.ts';
import { logFailure } from '../http/log-failure.ts';
import { readJson } from '../http/read-json.ts';
import { limitRate } from '../http/steps/limit-rate.ts';
import { callAs, type OperationAnswer } from './call-operation.ts';
import { docsResources, docsTools, openDocs } from './docs.ts';
import { operationTools } from './operation-tools.ts';
import { communityResources } from './resources.ts';
import { createSearchThread } from './search-thread.ts';
import type { Served } from './serve-messages.ts';
import { type Tool, textResult, toolSchema } from './tool.ts';

/**
 * The default endpoint only reads, so that an agent that falls for prompt injection cannot change anything. The second
 * one also writes, for users who choose it.
 */
const doors = [
  { path: '/mcp', acts: false },
  { path: '/mcp/act', acts: true },
];

/** Fits the largest input of a tool. Anyone may send a message, so it is half of what operations accept. */
const maxMessageBytes = 512 * 1024;

/** Serves agents over the Model Context Protocol: the documentation to any caller, the API to authorized ones. */
export function addMcp(fastify: FastifyInstance, { server, resources }: HttpOptions): void {
  const { baseUrl } = server.services.settings;
  const { portalUrl } = server.config;
  const log = server.services.log.for('mcp');
  const searchThread = createSearchThread();
  fastify.addHook('onClose', () => searchThread.close());
  const docs = portalUrl === undefined ? undefined : openDocs(portalUrl, server.services.clock, searchThread);
  const open = [ruleTool, ...(docs === undefined ? [] : docsTools(docs))];
  const readable = [...(docs === undefined ? [] : [docsResources(docs)]), ...communityResources(resources)];
  // Each operation that is called for the caller is rate-limited again.
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    openToPages(reply);
    await limitRate({ actor: { kind: 'anonymous' }, client: undefined, request, reply }, server);
  };
  for (const { path, acts } of doors) {
    let served: Served | undefined;
    fastify.get(`${metadataPath}${path}`, { onRequest }, async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(JSON.stringify(describeResource(baseUrl, path, portalUrl))),
    );
    fastify.route({
      method: ['GET', 'POST', 'DELETE'],
      url: path,
      bodyLimit: maxMessageBytes,
      onRequest,
      handler: async (request, reply) => {
        served ??= { tools: [...open, ...operationTools(resources, { acts, searchThread })], resources: readable };
        return answer(request, reply, served, path);
      },
    });
  }

  async function answer(request: FastifyRequest, reply: FastifyReply, served: Served, path: string) {
    let refused: OperationAnswer | undefined;
    let challenge: string | undefined;
    const isBearer = /^bearer /i.test(request.headers.authorization ?? '');
    const callOperation = callAs(request, fastify);
    const body = request.method === 'POST' ? readMessage(request) : undefined;
    // A client cancels by closing its request.
    const closed = new AbortController();
    reply.raw.once('close', () => closed.abort());
    // Loads the protocol's packages, which a server without agents does not need.
    const { serveMessage } = await import('./serve-messages.ts');
    const response = await serveMessage(
      { request: toWebRequest(request, baseUrl, path, closed.signal), body },
      served,
      {
        call: async (operation, input) => {
          const answered = await callOperation(operation, input);
          challenge = challengeFor(operation, answered, { isBearer, baseUrl, path });
          if (challenge !== undefined || answered.status === 429) refused = answered;
          return answered;
        },
        noteFailure: (error) => logFailure(log, error, toAppError(error), request),
      },
    );
    // The status makes an agent sign in or wait; the text of a tool only reaches its model.
    if (challenge !== undefined) reply.header('www-authenticate', challenge);
    if (refused !== undefined) {
      await response.body?.cancel();
      return reply.code(refused.status).type('application/json; charset=utf-8').send(refused.body);
    }
    const type = response.headers.get('content-type');
    if (type !== null) reply.type(type);
    const allow = response.headers.get('allow');
    if (allow !== null) reply.header('allow', allow);
    return reply.code(response.status).send(response.body === null ? undefined : Readable.from(response.body));
  }
}

/** Parses one message, as strictly as every other body. */
function readMessage({ body }: FastifyRequest): unknown {
  if (!(body instanceof Uint8Array)) throw new AppError('INVALID_BODY', 'Send one JSON-RPC message.');
  const message = readJson(Buffer.from(body).toString('utf8'));
  // A batch would be several requests that count as one.
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw new AppError('INVALID_BODY', 'Send one JSON-RPC message at a time.');
  // Nothing here changes on its own, and an endless stream would only hold the connection.
  if ('method' in message && message.method === 'subscriptions/listen')
    throw new AppError('INVALID_BODY', 'Subscriptions are not supported.');
  return message;
}

function toWebRequest(
  { method, headers }: FastifyRequest,
  baseUrl: string,
  path: string,
  signal: AbortSignal,
): Request {
  const names = ['accept', 'content-type', 'mcp-method', 'mcp-name', 'mcp-protocol-version', 'mcp-session-id'];
  const kept = names.flatMap((name): [string, string][] => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return new Request(`${baseUrl}${path}`, { method, headers: kept, signal });
}

/** Twice the size of the largest list of tokens in a rule. */
const maxRuleBytes = 128 * 1024;

/** Explains a rule with the code that evaluates it. Needs no credential, since nothing is looked up. */
const ruleTool: Tool = {
  name: 'explain_rule',
  title: 'Explain a rule in words',
  description:
    'Returns what a rule requires in one sentence, or what is wrong with it. Roles and tokens are shown by id; use list_rules to get a community’s rules with names.',
  inputSchema: toolSchema({
    rule: T.Object(
      {},
      {
        description: 'The rule, in the format that the API accepts.',
        additionalProperties: true,
        maxProperties: 100,
        'x-maxBytes': maxRuleBytes,
      },
    ),
  }),
  isReading: true,
  run: async ({ rule }) => {
    const names = { role: (id: string) => `the role ${id}`, token: (asset: string) => asset };
    return textResult(ruleInWords(readRule(rule as Parameters<typeof readRule>[0], '/rule'), names));
  },
};

/**
 * Returns what a client has to do to call an operation, as defined by RFC 6750 and RFC 9728: sign its user in, or
 * request one more scope. Undefined if signing in would not help.
 */
function challengeFor(
  operation: Operation,
  { status, body }: OperationAnswer,
  caller: { isBearer: boolean; baseUrl: string; path: string },
): string | undefined {
  const [scope] = grantableScopes(operation);
  const requested = scope === undefined ? '' : `, scope="${scope}"`;
  const where = `, resource_metadata="${caller.baseUrl}${metadataPath}${caller.path}"`;
  if (status === 401) return `Bearer realm="latchkey"${requested}${where}`;
  const isScopeMissing = status === 403 && caller.isBearer && codeOf(body) === 'SCOPE_NOT_ALLOWED';
  return isScopeMissing && requested !== '' ? `Bearer error="insufficient_scope"${requested}${where}` : undefined;
}

/** Returns the scopes that a user can grant for it. One of them is enough. */
function grantableScopes({ contract: { access } }: Operation): readonly string[] {
  const { limited } = access;
  const scopes =
    access.scopes.length === 0 && limited !== undefined && 'scopes' in limited ? limited.scopes : access.scopes;
  return scopes.filter((scope) => !scope.startsWith('$'));
}

function codeOf(body: Buffer): unknown {
  return JSON.parse(body.toString('utf8')).error?.code;
}

/** Where clients find the metadata of a protected resource (RFC 9728, section 3). */
const metadataPath = '/.well-known/oauth-protected-resource';

/** Tells an MCP client where to sign its user in. */
function describeResource(baseUrl: string, path: string, portalUrl: string | undefined) {
  return {
    resource: `${baseUrl}${path}`,
    resource_name: 'Latchkey for agents',
    authorization_servers: [baseUrl],
    // No list of scopes: clients would request all of them, and no application may have all.
    bearer_methods_supported: ['header'],
    ...(portalUrl !== undefined && { resource_documentation: portalUrl }),
  };
}
