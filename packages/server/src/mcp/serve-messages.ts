import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { compileToolInput } from '../http/compile.ts';
import { errorBody, toAppError } from '../http/errors.ts';
import { latchkeyVersion } from '../version.ts';
import { plain } from './describe-operation.ts';
import { prompts } from './prompts.ts';
import type { McpResources } from './resources.ts';
import { type Tool, type ToolContext, textResult } from './tool.ts';

const instructions = `Latchkey links wallets to chat communities and grants roles by what those wallets hold.
Answer questions about using it from search_docs and read_docs, and quote the page.
explain_rule, search_docs and read_docs need no credential. Everything else uses the credential you send and has only its permissions.
To find out why a role is missing, use explain_my_roles for the signed-in person, or explain_member_roles as a community admin.`;

/** What one endpoint offers. */
export interface Served {
  tools: readonly Tool[];
  resources: readonly McpResources[];
}

type Caller = Omit<ToolContext, 'signal'>;

/**
 * Answers one MCP message. There is no state between messages, so any process can answer any of them. Resolves when the
 * result is known or the first progress notification is sent, whichever is first.
 */
export async function serveMessage(
  message: { request: Request; body: unknown },
  served: Served,
  caller: Caller,
): Promise<Response> {
  const handler = createMcpHandler(() => serverOf(served, caller), { responseMode: 'auto', maxSubscriptions: 1 });
  const response = await handler.fetch(message.request, { parsedBody: message.body });
  const { status, headers } = response;
  // An older client gets even a single result as a stream, which opens before the result is known.
  const reader = response.body?.getReader();
  const first = await reader?.read();
  if (reader === undefined || first === undefined || first.done || status === 204) {
    await handler.close();
    return new Response(null, { status, headers });
  }
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(first.value),
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      await handler.close();
      controller.close();
    },
    cancel: async (reason) => {
      await reader.cancel(reason);
      await handler.close();
    },
  });
  return new Response(body, { status, headers });
}

function serverOf({ tools, resources }: Served, caller: Caller): Server {
  const server = new Server(
    { name: 'latchkey', title: 'Latchkey', version: latchkeyVersion },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions },
  );
  const contextOf = ({ mcpReq: { signal } }: ServerContext): ToolContext => ({ ...caller, signal });
  server.setRequestHandler('tools/list', async () => ({ tools: tools.map(listed) }));
  server.setRequestHandler('tools/call', async ({ params }, request) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) throw invalidParams(`The tool ${JSON.stringify(params.name)} is unknown.`);
    try {
      const input = params.arguments ?? {};
      checkInput(tool, input);
      return await reportingProgress(request, () => tool.run(input, contextOf(request)));
    } catch (error) {
      const mapped = toAppError(error);
      if (mapped.status >= 500) caller.noteFailure(error);
      return textResult(JSON.stringify(errorBody(mapped)), true);
    }
  });
  server.setRequestHandler('resources/list', async ({ params }) => {
    const all = (await Promise.all(resources.map((one) => askForResource(() => one.list())))).flat();
    const from = readCursor(params?.cursor);
    const end = from + resourcesAtOnce;
    return { resources: all.slice(from, end), ...(end < all.length && { nextCursor: String(end) }) };
  });
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: resources.flatMap(({ templates }) => templates),
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, request) => {
    for (const each of resources) {
      const found = await askForResource(() => each.read(uri, contextOf(request)), uri);
      if (found !== undefined) return { contents: [{ uri, ...found }] };
    }
    throw new ResourceNotFoundError(uri, 'No resource has this address. resources/templates/list returns the forms.');
  });
  server.setRequestHandler('prompts/list', async () => ({
    prompts: prompts.map(({ write: _write, arguments: asked, ...prompt }) => ({ ...prompt, arguments: [...asked] })),
  }));
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: given = {} } }) => {
    const prompt = prompts.find((one) => one.name === name);
    if (prompt === undefined) throw invalidParams(`The prompt ${JSON.stringify(name)} is unknown.`);
    const missing = prompt.arguments.find((one) => one.required && !given[one.name]);
    if (missing !== undefined) throw invalidParams(`The argument ${missing.name} is required.`);
    const text = prompt.write(given);
    return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
  });
  return server;

  /** The protocol has no result for a resource that cannot be read, only errors. */
  async function askForResource<Value>(ask: () => Promise<Value>, uri?: string): Promise<Value> {
    try {
      return await ask();
    } catch (error) {
      const mapped = toAppError(error);
      if (mapped.status >= 500) caller.noteFailure(error);
      if (mapped.status === 404 && uri !== undefined) throw new ResourceNotFoundError(uri, mapped.message);
      const code = mapped.status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
      throw new ProtocolError(code, mapped.message, errorBody(mapped));
    }
  }
}

const resourcesAtOnce = 100;

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,6}$/.test(cursor)) throw invalidParams('The cursor is not one that this server returned.');
  return Number(cursor);
}

function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

const progressMs = 1_000;

/** Notifies a client that asked for progress every second, so that it does not give up a slow call. */
async function reportingProgress<Result>({ mcpReq }: ServerContext, work: () => Promise<Result>): Promise<Result> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += 1;
    const message = `Waiting for the response for ${seconds} s.`;
    const params = { progressToken, progress: seconds, message };
    // A client that is gone needs no progress.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => clearInterval(timer));
  }, progressMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Compiled on the first call of a tool, since a client may list all of them and call none. */
const checks = new WeakMap<Tool, ReturnType<typeof compileToolInput>>();

function checkInput(tool: Tool, input: Readonly<Record<string, unknown>>): void {
  const check = checks.get(tool) ?? compileToolInput(tool.inputSchema);
  checks.set(tool, check);
  check(input);
}

function listed({ name, title, description, inputSchema, outputSchema, isReading }: Tool) {
  return {
    name,
    title,
    description,
    inputSchema: { ...plain(inputSchema), type: 'object' as const },
    ...(outputSchema !== undefined && { outputSchema: { ...plain(outputSchema), type: 'object' as const } }),
    annotations: { title, readOnlyHint: isReading, destructiveHint: !isReading, openWorldHint: false },
  };
}
