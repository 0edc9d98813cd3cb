import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type NodeScript, startScriptedNode } from '../testing/scripted-node.ts';
import { EndpointFault, EndpointRefusal } from './failures.ts';
import { askJsonRpc } from './json-rpc.ts';

async function ask(t: TestContext, script: NodeScript) {
  const { url } = await startScriptedNode(t, script);
  return askJsonRpc({ fetch, url: `${url}/secret-key`, method: 'eth_chainId', params: [] });
}

describe('JSON-RPC', () => {
  it('returns the result, which may be null', async (t) => {
    assert.equal(await ask(t, () => ({ result: '0x1' })), '0x1');
    assert.equal(await ask(t, () => ({ result: null })), null);
  });

  it('an error of the node is a refusal that does not repeat the node’s message', async (t) => {
    const error = { code: -32000, message: 'header not found', data: { key: 'secret' } };
    await assert.rejects(
      ask(t, () => ({ error })),
      (refusal: unknown) => {
        assert.ok(refusal instanceof EndpointRefusal);
        assert.equal(refusal.code, -32000);
        assert.match(refusal.details, /header not found/);
        assert.doesNotMatch(refusal.message, /header|secret/);
        return true;
      },
    );
  });

  it('an error under status 400 and a request that is too large are refusals too', async (t) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'range' } });
    await assert.rejects(
      ask(t, (_, response) => void response.writeHead(400).end(body)),
      EndpointRefusal,
    );
    await assert.rejects(
      ask(t, (_, response) => void response.writeHead(413).end('too large')),
      EndpointRefusal,
    );
  });

  const faults: Record<string, NodeScript> = {
    'an outage': (_, response) => void response.writeHead(503).end('{}'),
    'too many requests': (_, response) => void response.writeHead(429).end('{"error":{"code":1}}'),
    'a refused key': (_, response) => void response.writeHead(403).end('no'),
    'a page': (_, response) => void response.end('<html>'),
    'an empty answer': (_, response) => void response.end(),
    'a broken connection': (_, response) => void response.destroy(),
    'a redirect': (_, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
    'an answer without result': () => ({}),
    'the answer to another question': () => ({ id: 99, result: '0x1' }),
    'a list': (_, response) => void response.end('[]'),
  };
  for (const [name, script] of Object.entries(faults)) {
    it(`${name} is a failure, and the URL is not named`, async (t) => {
      await assert.rejects(ask(t, script), (error: unknown) => {
        assert.ok(error instanceof EndpointFault);
        assert.doesNotMatch(`${error.message} ${error.stack} ${error.cause}`, /127\.0\.0\.1|secret-key/);
        return true;
      });
    });
  }

  it('a response is read up to a limit', async () => {
    const chunk = new Uint8Array(1_000_000);
    const fetch = async () => {
      let sent = 0;
      return new Response(
        new ReadableStream({ pull: (stream) => (sent++ > 100 ? stream.close() : stream.enqueue(chunk)) }),
      );
    };
    await assert.rejects(askJsonRpc({ url: 'https://one.example', method: 'x', params: [], fetch }), /too large/);
  });
});
