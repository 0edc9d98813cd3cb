import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

export interface RpcRequest {
  id: number;
  method: string;
  params: unknown[];
}

/** Answers one request, or takes the response itself to misbehave. Undefined never answers. */
export type NodeScript = (request: RpcRequest, response: ServerResponse) => unknown;

export interface ScriptedNode {
  url: string;
  /** The methods that were asked for, in order. */
  asked: string[];
}

/** A JSON-RPC node over real HTTP that answers as scripted by the test; gone when the test ends. */
export async function startScriptedNode(t: TestContext, script: NodeScript): Promise<ScriptedNode> {
  const asked: string[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, async (incoming, response) => {
    const request: RpcRequest = JSON.parse(await text(incoming));
    asked.push(request.method);
    const answer = script(request, response);
    if (answer === undefined) return;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id: request.id, ...Object(answer) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // A server that listens on a port has such an address.
  return { url: `http://127.0.0.1:${port}`, asked };
}
