import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { patientMs } from '@latchkey/emulators/testing';
import { createAccountKeyReader } from './read-account-keys.ts';
import { accountAnswer, flowVectors, keysOfVector } from './test-vectors.ts';

const [vector] = flowVectors;
assert.ok(vector);
const address = vector.address;
const answer = accountAnswer(address, keysOfVector(vector));
const [answerKey] = answer.keys;

/** Starts an access node on a free port until the test ends. */
async function startNode(t: TestContext, listener: RequestListener, timeoutMs = patientMs) {
  const server = createServer({ keepAliveTimeout: 0 }, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // A server listening on a port has an AddressInfo.
  return createAccountKeyReader({ urls: { testnet: `http://127.0.0.1:${port}/` }, fetch, timeoutMs });
}

function answering(status: number, body: unknown): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

describe('The keys of a Flow account', () => {
  it('are read from the access node at the documented path, with numbers as strings', async (t) => {
    const requests: unknown[] = [];
    const find = await startNode(t, (request, response) => {
      requests.push([request.method, request.url]);
      answering(200, answer)(request, response);
    });
    const [key] = keysOfVector(vector);
    assert.deepEqual(await find(address, 'testnet'), [
      { index: 0, publicKey: key?.publicKey, curve: 'p256', hash: 'sha3-256', weight: 1000, revoked: false },
    ]);
    assert.deepEqual(requests, [['GET', `/v1/accounts/${address.slice(2)}?expand=keys`]]);
  });

  it('are mapped to the same algorithms in every spelling, and to none that accounts cannot sign with', async (t) => {
    const spellings: [string, string, string | undefined, string | undefined][] = [
      ['ECDSAP256', 'SHA3_256', 'p256', 'sha3-256'],
      ['ECDSA_P256', 'SHA2_256', 'p256', 'sha2-256'],
      ['ECDSASecp256k1', 'SHA2_256', 'secp256k1', 'sha2-256'],
      ['ECDSA_secp256k1', 'SHA3_256', 'secp256k1', 'sha3-256'],
      ['BLSBLS12381', 'KMAC128', undefined, undefined],
      ['ECDSA_P256', 'SHA2_384', 'p256', undefined],
    ];
    for (const [signing_algorithm, hashing_algorithm, curve, hash] of spellings) {
      const keys = [{ ...answerKey, signing_algorithm, hashing_algorithm }];
      const find = await startNode(t, answering(200, { ...answer, keys }));
      const [found] = (await find(address, 'testnet')) ?? [];
      assert.deepEqual([found?.curve, found?.hash], [curve, hash], signing_algorithm);
    }
  });

  it('are empty when the node does not know the account', async (t) => {
    const find = await startNode(t, answering(404, { code: 404, message: 'account not found' }));
    assert.equal(await find(address, 'testnet'), undefined);
  });

  it('stay unknown when the node fails, returns garbage, answers about another account or too little', async (t) => {
    const broken = [
      answering(500, answer),
      answering(429, answer),
      answering(400, { code: 400 }),
      answering(200, '<html>busy</html>'),
      answering(200, 'null'),
      answering(200, { ...answer, address: 'f8d6e0586b0a20c7' }),
      answering(200, { ...answer, keys: undefined }),
      answering(200, { ...answer, keys: [null] }),
      answering(200, { ...answer, keys: [answerKey, answerKey] }),
      ...Object.keys(answerKey ?? {})
        .filter((field) => field !== 'sequence_number')
        .map((field) => answering(200, { ...answer, keys: [{ ...answerKey, [field]: undefined }] })),
      ...['-1', '1e3', '1.5', '0x3e8', '', 1.5, -1, true].map((weight) =>
        answering(200, { ...answer, keys: [{ ...answerKey, weight }] }),
      ),
      answering(200, { ...answer, keys: [{ ...answerKey, revoked: 'false' }] }),
    ];
    for (const listener of broken) await assert.rejects((await startNode(t, listener))(address, 'testnet'));
  });

  it('stay unknown when the node hangs, redirects, is missing or not configured', async (t) => {
    const hanging = await startNode(t, () => {}, 200);
    await assert.rejects(hanging(address, 'testnet'), { name: 'TimeoutError' });
    await assert.rejects(hanging(address, 'testnet', AbortSignal.abort(new Error('The caller gave up.'))), /gave up/);
    const sending = await startNode(t, (_request, response) => {
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    });
    await assert.rejects(sending(address, 'testnet'));
    await assert.rejects(sending(address, 'mainnet'), /No access node is configured for the Flow chain "mainnet"/);
    await assert.rejects(sending(address, 'constructor'), /No access node/);
    const nobody = createAccountKeyReader({ urls: { testnet: 'http://127.0.0.1:1' }, fetch });
    await assert.rejects(nobody(address, 'testnet'));
  });
});
