import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { CommandLine } from '../harness/command-line.ts';
import type { Environment } from '../harness/processes.ts';

/** A running server, and how to run commands and calls. */
interface BesideServer {
  environment: Environment;
  /** Of a user. */
  authorization: string;
  commandLine: CommandLine;
  call(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<{ status: number; json: Record<string, string> }>;
  latchkeyCommand(...args: string[]): Promise<string>;
}

export function doctorSuite(beside: () => BesideServer): void {
  test('doctor tests an application’s setup and reports what will fail', async () => {
    const { environment, authorization, commandLine, call, latchkeyCommand } = beside();
    let secret = '';
    let checks = true;
    const receiver = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const expected = createHmac('sha256', secret).update(Buffer.concat(chunks)).digest('hex');
      const isGenuine = request.headers['x-collabland-signature'] === expected;
      response.writeHead(isGenuine || !checks ? 204 : 401).end();
    });
    await once(receiver.listen(0, '127.0.0.1').unref(), 'listening');
    const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const { json: app } = await call(
      'POST',
      '/client-apps',
      { authorization },
      {
        name: 'Examined',
        webhookUrl,
        redirectUris: ['https://app.example/cb'],
        allowedGrantTypes: ['authorization_code'],
        allowedOrigins: ['https://examined.example'],
      },
    );
    secret = app.secret ?? '';
    const withReceiver = { ...environment, LATCHKEY_ALLOW_PRIVATE_CALLBACKS: 'true' };
    const examine = (id = app.id ?? '') => commandLine.run(['doctor', '--as-client', id], withReceiver);
    const pending = await examine();
    assert.equal(pending.code, 1);
    assert.match(pending.stdout, /FAIL {2}status: The application is PENDING, .*apps approve \S+ --scopes/);
    assert.match(pending.stdout, /FAIL {2}scopes: The operator granted no scope/);
    await latchkeyCommand('apps', 'approve', app.id ?? '', '--scopes', 'user:read');
    const healthy = await examine();
    assert.equal(healthy.code, 0, healthy.stdout + healthy.stderr);
    for (const line of [
      /ok {4}status: The application is APPROVED/,
      /ok {4}origin https:\/\/examined.example: Browsers allow calls from this origin/,
      /login at https:\/\/app.example\/cb: Login works/,
      /ok {4}webhook: It accepted a signed test event \(204\)/,
      /ok {4}webhook: It refused an event with a wrong signature \(401\)/,
      /No problems found/,
    ])
      assert.match(healthy.stdout, line);
    checks = false;
    assert.match((await examine()).stdout, /look {2}webhook: It also accepted an event with a wrong signature/);
    receiver.close();
    receiver.closeAllConnections();
    const down = await examine();
    assert.equal(down.code, 1);
    assert.match(down.stdout, /FAIL {2}webhook: A signed test event failed/);
    assert.match((await examine('nobody')).stderr, /Client application not found/);
    assert.match((await commandLine.run(['doctor', '--as-client', ''], environment)).stderr, /Missing client id/);
  });

  test('doctor checks the installation, and reports each problem with its fix', async () => {
    const { environment, commandLine } = beside();
    const node = createServer((_request, response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x89"}'));
    await once(node.listen(0, '127.0.0.1').unref(), 'listening');
    const { port } = node.address() as AddressInfo;
    const closed = createServer((_request, response) => response.writeHead(403).end());
    await once(closed.listen(0, '127.0.0.1').unref(), 'listening');
    const closedPort = (closed.address() as AddressInfo).port;
    const examine = (chains: string, others = `solana:mainnet-beta=http://127.0.0.1:${port}/v2/hunter2`) =>
      commandLine.run(['doctor'], {
        ...environment,
        LATCHKEY_SOMETHING_ELSE_ENTIRELY: '1',
        LATCHKEY_EVM_RPC_URLS: chains,
        LATCHKEY_CHAIN_URLS: others,
      });
    const well = await examine(`137=http://127.0.0.1:${port}/v2/hunter2`);
    assert.equal(well.code, 0, well.stdout + well.stderr);
    for (const line of [
      /ok {4}settings: \d+ set, all valid/,
      /look {2}settings: LATCHKEY_SOMETHING_ELSE_ENTIRELY is not a setting and has no effect\./,
      /ok {4}path: enqueue: A job was added in \d+ ms\./,
      /ok {4}path: worker: The worker on \S+ started it after \d+ ms\./,
      /ok {4}path: database: Answered that worker in \d+ ms\./,
      /ok {4}database: PostgreSQL \d+, .* with all migrations applied/,
      /ok {4}clock: /,
      /ok {4}keys: /,
      /ok {4}solana:mainnet-beta: 127\.0\.0\.1:\d+ answers\. Which chain it serves was not checked\./,
      /ok {4}chain 137: 127\.0\.0\.1:\d+ answers\./,
      /versions: Node\.js 2\d\./,
      /No problems found/,
    ])
      assert.match(well.stdout, line);
    const wrong = await examine(
      `1=http://127.0.0.1:${port}/v2/hunter2 5=http://127.0.0.1:1/v2/hunter2`,
      `near:mainnet=http://127.0.0.1:${closedPort}/hunter2`,
    );
    closed.close();
    node.close();
    assert.equal(wrong.code, 1);
    assert.match(wrong.stdout, /FAIL {2}chain 1: 127\.0\.0\.1:\d+ serves chain 137\. Correct the entry/);
    assert.match(wrong.stdout, /FAIL {2}chain 5: 127\.0\.0\.1:1 does not answer \(.+\)/);
    assert.match(wrong.stdout, /FAIL {2}near:mainnet: 127\.0\.0\.1:\d+ refuses the key \(status 403\)/);
    assert.match(wrong.stdout, /3 problems found/);
    const misspelt = await commandLine.run(['doctor'], { ...environment, LATCHKEY_BASEURL: 'http://127.0.0.1' });
    assert.equal(misspelt.code, 78);
    assert.match(misspelt.stderr, /LATCHKEY_BASEURL is not a setting\. Did you mean LATCHKEY_BASE_URL\?/);
    assert.doesNotMatch(well.stdout + wrong.stdout + wrong.stderr, /hunter2/);
  });
}
