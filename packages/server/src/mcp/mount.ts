import { ruleInWords } from '@latchkey/core';
import { readRule } from '@latchkey/core/rule-language';
import { AppError, type Operation, T, text } from '@latchkey/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { indexFileName } from '../docs-search/index-file.ts';
import { fetchTo } from '../egress/index.ts';
import { openToPages } from '../http/cors.ts';
import { toAppError } from '../http/errors.ts';
import type { HttpOptions } from '../http/http-options.ts';
import { logFailure } from '../http/log-failure.ts';
import { readJson } from '../http/read-json.ts';
import { limitRate } from '../http/steps/limit-rate.ts';
import { callAs, type OperationAnswer } from './call-operation.ts';
import { operationTools } from './operation-tools.ts';
import { createSearchThread, type SearchIndex, type SearchThread } from './search-thread.ts';
import { jsonResult, type Tool, textResult, toolSchema } from './tool.ts';

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
  const docs = portalUrl === undefined ? [] : docsTools(openDocs(portalUrl, server.services.clock, searchThread));
  const open = [ruleTool, ...docs];
  // Each operation that is called for the caller is rate-limited again.
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
    // Loads the protocol's packages, which a server without agents does not need.
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
    // The status makes an agent sign in or wait; the text of a tool only reaches its model.
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

function toWebRequest({ method, headers }: FastifyRequest, baseUrl: string, path: string): Request {
  const names = ['accept', 'content-type', 'mcp-method', 'mcp-name', 'mcp-protocol-version', 'mcp-session-id'];
  const kept = names.flatMap((name): [string, string][] => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return new Request(`${baseUrl}${path}`, { method, headers: kept });
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

const usualCount = 5;
const mostCount = 20;

/** Tools that read the documentation. They need no credential. */
function docsTools(docs: Docs): Tool[] {
  return [
    {
      name: 'search_docs',
      title: 'Search the documentation',
      description:
        'Searches the guides for members, admins, developers and operators. Returns the best passages with the paths of their pages for read_docs. Quote the url when you answer from one.',
      inputSchema: toolSchema({
        query: text('A question or a few words, in English.', { maxLength: 300 }),
        limit: T.Optional(
          T.Integer({ description: 'How many pages to return. Defaults to 5.', minimum: 1, maximum: mostCount }),
        ),
      }),
      isReading: true,
      run: async ({ query, limit }) => {
        const count = Math.min(Math.max(Number(limit ?? usualCount) || usualCount, 1), mostCount);
        return jsonResult(await docs.search(String(query), count));
      },
    },
    {
      name: 'read_docs',
      title: 'Read a page of the documentation',
      description: 'Returns a page of the documentation as Markdown.',
      inputSchema: toolSchema({ path: text('The path, such as /docs/intro.', { maxLength: 300 }) }),
      isReading: true,
      run: async ({ path }) => textResult(await docs.read(String(path))),
    },
  ];
}

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

const patienceMs = 10_000;
const keptMs = 10 * 60_000;
const quoteLength = 500;

interface FoundPage {
  path: string;
  title: string;
  url: string;
  text: string;
}

/** The documentation, as published by the portal. */
interface Docs {
  search(query: string, limit: number): Promise<FoundPage[]>;
  /** Returns a page as Markdown. Only pages that the portal lists can be read. */
  read(path: string): Promise<string>;
}

/** Reads the portal's machine-readable files: its search index, and the Markdown of each page. */
function openDocs(portalUrl: string, clock: () => Date, searchThread: SearchThread): Docs {
  const base = portalUrl.replace(/\/*$/, '');
  const fetch = fetchTo([portalUrl]);
  let opened: { index: SearchIndex; until: number } | undefined;
  let opening: Promise<SearchIndex> | undefined;

  async function fetchText(path: string): Promise<string> {
    const response = await fetch(`${base}${path}`, {
      signal: AbortSignal.timeout(patienceMs),
      redirect: 'error',
    }).catch((cause: unknown) => {
      throw new AppError('UNAVAILABLE', 'The documentation is temporarily unavailable.', { cause });
    });
    if (!response.ok)
      throw new AppError(
        'UNAVAILABLE',
        `The documentation returned status ${response.status}. It may still be building.`,
      );
    return response.text();
  }

  async function open(): Promise<SearchIndex> {
    const index = await searchThread.open('docs', await fetchText(`/${indexFileName}`));
    opened = { index, until: clock().getTime() + keptMs };
    return index;
  }

  async function currentIndex(): Promise<SearchIndex> {
    if (opened !== undefined && opened.until > clock().getTime()) return opened.index;
    opening ??= open().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  return {
    async search(query, limit) {
      const index = await currentIndex();
      const hits = await index.search(query, limit);
      return hits.map(({ path, title, section: { heading, anchor, text } }) => ({
        path,
        title: heading === undefined ? title : `${title}: ${heading}`,
        url: `${base}${path}${anchor === undefined ? '' : `#${anchor}`}`,
        text: text.slice(0, quoteLength),
      }));
    },
    async read(path) {
      const { paths } = await currentIndex();
      const [wanted = ''] = path.split(/[?#]/);
      const page = [wanted, `${wanted}/`].find((candidate) => paths.has(candidate));
      if (page === undefined)
        throw new AppError('ENTITY_NOT_FOUND', 'Page not found. search_docs finds the paths of pages.');
      const file = page.replace(/\/$/, '');
      return fetchText(file === '' ? '/index.md' : `${file}.md`);
    },
  };
}
