import { AppError } from '@latchkey/kernel';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { compileToolInput } from '../http/compile.ts';
import { errorBody, toAppError } from '../http/errors.ts';
import { latchkeyVersion } from '../version.ts';
import { plain } from './describe-operation.ts';
import { type Tool, type ToolContext, textResult } from './tool.ts';

const instructions = `Latchkey links wallets to chat communities and grants roles by what those wallets hold.
Answer questions about using it from search_docs and read_docs, and quote the page.
explain_rule, search_docs and read_docs need no credential. Everything else uses the credential you send and has only its permissions.
To find out why a role is missing, use explain_my_roles for the signed-in person, or explain_member_roles as a community admin.`;

/**
 * Answers one MCP message with these tools. There is no state between messages, so any process can answer any of them.
 */
export async function serveMessage(
  message: { request: Request; body: unknown },
  tools: readonly Tool[],
  context: ToolContext,
): Promise<Response> {
  const handler = createMcpHandler(() => serverOf(tools, context), { responseMode: 'auto', maxSubscriptions: 1 });
  try {
    const response = await handler.fetch(message.request, { parsedBody: message.body });
    // Read the response to its end before the handler is closed: an older client gets its single response as a stream.
    const text = await response.text();
    const hasBody = text !== '' && response.status !== 204;
    return new Response(hasBody ? text : null, { status: response.status, headers: response.headers });
  } finally {
    await handler.close();
  }
}

function serverOf(tools: readonly Tool[], context: ToolContext): Server {
  const server = new Server(
    { name: 'latchkey', title: 'Latchkey', version: latchkeyVersion },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: tools.map(listed) }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    try {
      if (tool === undefined) throw new AppError('ENTITY_NOT_FOUND', 'Tool not found.');
      const input = params.arguments ?? {};
      checkInput(tool, input);
      return await tool.run(input, context);
    } catch (error) {
      const mapped = toAppError(error);
      if (mapped.status >= 500) context.noteFailure(error);
      return textResult(JSON.stringify(errorBody(mapped)), true);
    }
  });
  return server;
}

/** Compiled on the first call of a tool, since a client may list all of them and call none. */
const checks = new WeakMap<Tool, ReturnType<typeof compileToolInput>>();

function checkInput(tool: Tool, input: Readonly<Record<string, unknown>>): void {
  const check = checks.get(tool) ?? compileToolInput(tool.inputSchema);
  checks.set(tool, check);
  check(input);
}

function listed({ name, title, description, inputSchema, isReading }: Tool) {
  return {
    name,
    title,
    description,
    inputSchema: { ...plain(inputSchema), type: 'object' as const },
    annotations: { title, readOnlyHint: isReading, destructiveHint: !isReading, openWorldHint: false },
  };
}
