import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { registerClient } from '@latchkey/server/testing/oauth-client';
import { getCode } from '@latchkey/server/testing/oauth-flow';
import { type OutsideWorld, outsideWorld, people } from '@latchkey/server/testing/outside-world';
import { freePorts } from '@latchkey/server/testing/processes';
import { keyRule } from '@latchkey/server/testing/set-up-community';
import { startTestServer, type TestServer } from '@latchkey/server/testing/test-server';
import { listenLocally, until, volume } from '@latchkey/test-kit';
import { emulatorsOf, openWorkshop, type Workshop, withoutPython } from './run-programs.ts';

const api = 'docs/downstream-integrations/api/';
/** TypeScript in every run; Python, which needs another toolchain, in the deep run only. */
const commands = ['node program.ts', 'python3 program.py'].slice(0, volume(1, 2));

/** Answers each request with the result of `answer` for its URL. */
function listen(answer: (url: URL) => Promise<Response> | Response): ReturnType<typeof listenLocally> {
  return listenLocally(
    createServer(async (request, response) => {
      const made = await answer(new URL(request.url ?? '', 'http://localhost'));
      response.writeHead(made.status, Object.fromEntries(made.headers)).end(await made.text());
    }),
  );
}

describe('the programs of guides for apps do the same in TypeScript and in Python', { skip: withoutPython }, () => {
  let outside: OutsideWorld;
  let server: TestServer;
  let workshop: Workshop;
  before(async () => {
    outside = await outsideWorld();
    server = await startTestServer(outside.environment);
    workshop = await openWorkshop();
  });
  after(async () => {
    await workshop?.[Symbol.asyncDispose]();
    await server?.close();
  });

  test('the OAuth sign-in gets a token for the code that a person comes back with', async () => {
    const client = await registerClient(server);
    // The user's browser: it opens the program's URL, and is redirected back with a code.
    await using browser = await listen(async (url) => {
      const request = new URL(url.searchParams.get('address') ?? '');
      assert.equal(`${request.origin}${request.pathname}`, `${server.url}/oauth2/authorize`);
      const { code } = await getCode(server, client, { fields: Object.fromEntries(request.searchParams) });
      return new Response(code);
    });
    const { ts, py } = emulatorsOf(`${api}authentication.md`, { ts: 'code_challenge', py: 'code_challenge' });
    await workshop.write({
      'program.ts': `${ts}
const back = await fetch(\`${browser.url}/?\${new URLSearchParams({ address: address.href })}\`);
process.stdout.write((await exchange(await back.text())).access_token);`,
      'program.py': `${py}


with urllib.request.urlopen("${browser.url}/?" + urllib.parse.urlencode({"address": address})) as back:
    print(exchange(back.read().decode())["access_token"], end="")`,
    });
    for (const command of commands) {
      const env = { LATCHKEY_URL: server.url, CLIENT_ID: client.id, CLIENT_SECRET: client.secret ?? '' };
      const authorization = `Bearer ${await workshop.run(command, env)}`;
      assert.equal((await server.request('GET', '/account/me', { headers: { authorization } })).status, 200, command);
    }
  });

  test('the receiver of callbacks prints what the server sends, and rejects everything else', async () => {
    const ownerId = 'DIS#USER#5103';
    const app = await server.apiKey(['token-gating'], ownerId);
    const { json: made } = await server.request('POST', `/latchkey/client-apps/${app.id}/webhook-secret`, {
      headers: { authorization: await server.aeToken(ownerId) },
      json: {},
    });
    const { ts, py } = emulatorsOf(`${api}token-gating.md`, { ts: 'isGenuine', py: 'is_genuine' });
    for (const command of commands) {
      const port = await freePorts();
      const url = `http://127.0.0.1:${port}`;
      const atPort = (text: string) => text.replace('8080', String(port));
      await workshop.write({ 'program.ts': atPort(ts), 'program.py': atPort(py) });
      await using receiver = workshop.start(command, { WEBHOOK_SECRET: made.secret });
      const send = (headers: Record<string, string> = {}) => fetch(url, { method: 'POST', headers, body: '{}' });
      await until(`${command} listens`, () => send().then(Boolean, () => false));
      const { json: requested } = await server.request('POST', '/access-control/check-roles', {
        headers: { 'x-api-key': app.key },
        json: { account: people.alice.address, callbackUrl: url, rules: [keyRule(outside, 'member')] },
      });
      await until(`${command} prints the result`, () => receiver.printed().includes(requested.requestId));
      assert.match(receiver.printed(), /member/);
      const now = String(Math.floor(Date.now() / 1000));
      const forged = { 'webhook-id': 'msg_1', 'webhook-timestamp': now, 'webhook-signature': 'v1,AAAA v1,é' };
      assert.equal((await send(forged)).status, 401);
      assert.equal((await send({ ...forged, 'webhook-timestamp': '9'.repeat(5000) })).status, 401);
    }
  });

  test('the one that waits retries after the given time, and finally gives up', async () => {
    const answers: Response[] = [];
    await using limited = await listen(() => answers.shift() ?? new Response('', { status: 429 }));
    const { ts, py } = emulatorsOf(`${api}rate-limiting.md`, { ts: 'fetchPatiently', py: 'fetch_patiently' });
    await workshop.write({
      'program.ts': `${ts}
const waits: number[] = [];
const setTimeout = (go: () => void, ms: number) => { waits.push(Math.floor(ms / 1000)); go(); };
const text = await (await fetchPatiently('${limited.url}')).text();
const missing = (await fetchPatiently('${limited.url}')).status;
const refused = (await fetchPatiently('${limited.url}')).status;
process.stdout.write(JSON.stringify([text, missing, refused, waits]));`,
      'program.py': `${py}


import json
waits = []
time.sleep = lambda seconds: waits.append(int(seconds))
def refusal():
    try:
        fetch_patiently("${limited.url}")
    except urllib.error.HTTPError as error:
        return error.code
text = fetch_patiently("${limited.url}").read().decode()
print(json.dumps([text, refusal(), refusal(), waits]))`,
    });
    for (const command of commands) {
      answers.push(
        new Response('', { status: 429, headers: { 'retry-after': '7' } }),
        new Response('', { status: 503 }),
        new Response('done'),
        new Response('', { status: 404 }),
      );
      const seen = JSON.parse(await workshop.run(command));
      assert.deepEqual(seen, ['done', 404, 429, [7, 2, 1, 2, 4, 8]], command);
    }
  });
});
