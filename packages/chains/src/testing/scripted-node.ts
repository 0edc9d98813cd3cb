import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

export interface RpcRequest {
  id: number;
  method: string;
  params: unknown[];
}

/** Responds to one request, or uses the response itself to misbehave. Undefined never responds. */
export type NodeScript = (request: RpcRequest, response: ServerResponse) => unknown;

export interface ScriptedNode {
  url: string;
  /** The requested methods, in order. */
  requests: string[];
}

/** Starts a JSON-RPC node over real HTTP that responds as scripted, and stops it when the test ends. */
export async function startScriptedNode(t: TestContext, script: NodeScript): Promise<ScriptedNode> {
  const requests: string[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, async (incoming, response) => {
    const request: RpcRequest = JSON.parse(await text(incoming));
    requests.push(request.method);
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
  const { port } = server.address() as AddressInfo; // A server listening on a port has an AddressInfo.
  return { url: `http://127.0.0.1:${port}`, requests: requests };
}
