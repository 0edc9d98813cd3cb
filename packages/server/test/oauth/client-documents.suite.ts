import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import type { TestServer } from '../harness/test-server.ts';
import { openBrowser, pageDataOf } from './browser.ts';
import { newKey } from './conformance/fapi-client.ts';
import { authorizeAddress, exchange, getCode, getTokens, newVerifier } from './flow.ts';
import { serveWith } from './other-settings.ts';
import type { SampleClient } from './sample-client.ts';

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body: string;
}

/**
 * Applications whose client id is the address of a document that describes them. The server runs with
 * LATCHKEY_CLIENT_REGISTRATION, and may call this machine.
 */
export function clientDocumentsSuite(running: () => TestServer): void {
  const documents = new Map<string, () => Answer | undefined>();
  const reads: string[] = [];
  const host = createServer((request, response) => {
    const path = request.url ?? '';
    reads.push(path);
    const answer = documents.has(path) ? documents.get(path)?.() : { status: 404, body: '' };
    // Undefined is a host that closes the connection without an answer.
    if (answer === undefined) return request.socket.destroy();
    response
      .writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
      .end(answer.body);
  });
  let origin = '';
  before(async () => {
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  });
  after(() => host.close());

  const redirectUri = 'https://agent.example/callback';
  let last = 0;
  /** Publishes a document at a new address. The changes are read at each request. */
  function publish(changes: Record<string, unknown> = {}, respond?: (body: string) => Answer | undefined) {
    last += 1;
    const path = `/clients/${last}.json`;
    const id = `${origin}${path}`;
    const metadata: Record<string, unknown> = {
      client_id: id,
      client_name: 'An agent',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
      ...changes,
    };
    documents.set(path, () => (respond ?? ((body: string) => ({ body })))(JSON.stringify(metadata)));
    const client: SampleClient = { id, secret: undefined, redirectUri };
    return { client, metadata, path, countReads: () => reads.filter((one) => one === path).length };
  }

  async function problemOf(client: SampleClient): Promise<string> {
    const page = await openBrowser(running()).get(authorizeAddress(client, newVerifier()));
    assert.equal(page.status, 400, page.text);
    return String(pageDataOf(page.text).text);
  }

  const due = (client: SampleClient, at: Date) =>
    running()
      .services.db.system.updateTable('client_apps')
      .set({ document_due_at: at })
      .where('id', '=', client.id)
      .execute();
  const ago = (seconds: number) => new Date(running().services.clock().getTime() - seconds * 1_000);

  test('an application that is described by a document signs its user in without being registered, and is read once', async () => {
    const { client, countReads } = publish();
    const tokens = await getTokens(running(), client);
    const issuer = new URL(running().url);
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', [oauth.allowInsecureRequests]: true }),
    );
    assert.equal(as.client_id_metadata_document_supported, true);
    assert.equal(JSON.parse(Buffer.from(tokens.id_token.split('.')[1] ?? '', 'base64url').toString()).aud, client.id);
    const me = await running().request('GET', '/account/me', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    assert.equal(me.status, 200, me.text);
    assert.equal(countReads(), 1);
  });

  test('several sign-ins that begin together read a document once, and register one application', async () => {
    const { client, countReads } = publish();
    const codes = await Promise.all(Array.from({ length: 6 }, () => getCode(running(), client)));
    assert.equal(new Set(codes.map(({ code }) => code)).size, 6);
    assert.equal(countReads(), 1);
  });

  test('the page shows the host of the document, whatever address the document claims', async () => {
    const { client } = publish({ client_uri: 'https://known.example', client_name: 'Known Example' });
    const browser = openBrowser(running());
    const { location } = await browser.get(authorizeAddress(client, newVerifier()));
    const page = pageDataOf((await browser.get(location)).text) as { client: { url: string; returnsTo: string } };
    assert.deepEqual([page.client.url, page.client.returnsTo], [origin, 'agent.example']);
  });

  test('an application that authenticates by a key in its document gets a token with it, and not without', async () => {
    const key = await newKey();
    const { client } = publish({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } });
    const code = await getCode(running(), client);
    assert.equal((await exchange(running(), client, code)).json.error, 'invalid_client');
    const assertion = await new SignJWT({ jti: newVerifier() })
      .setProtectedHeader({ alg: key.alg, kid: key.jwk.kid })
      .setIssuer(client.id)
      .setSubject(client.id)
      .setAudience(running().url)
      .setExpirationTime('1m')
      .sign(key.privateKey);
    const answer = await exchange(running(), client, code, {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    });
    assert.equal(answer.status, 200, answer.text);
  });

  test('a document that may not be used is refused with the reason, and leaves nothing behind', async () => {
    const other = publish().client.id;
    for (const [{ client }, reason] of [
      [publish({ client_id: other }), /must contain that address/],
      [publish({ client_id: undefined }), /must contain that address/],
      [publish({ token_endpoint_auth_method: 'client_secret_basic' }), /cannot agree on a secret/],
      [publish({ client_secret: 'x' }), /cannot agree on a secret/],
      [publish({ redirect_uris: ['http://agent.example/callback'] }), /redirect/i],
      [publish({ grant_types: ['password'] }), /grant type password/],
      [publish({}, () => ({ body: '[]' })), /JSON object/],
      [publish({}, () => ({ body: 'x' })), /JSON object/],
      [publish({}, () => ({ body: 'x'.repeat(20_000) })), /at most 16384 bytes/],
      [publish({}, () => ({ status: 404, body: '' })), /responded 404/],
      [publish({}, () => ({ status: 302, headers: { location: other }, body: '' })), /responded 302/],
      [publish({}, (body) => ({ status: 503, body })), /could not be read/],
      [publish({}, () => undefined), /could not be read/],
    ] as const) {
      assert.match(await problemOf(client), reason);
      const rows = await running()
        .services.db.system.selectFrom('client_apps')
        .select('id')
        .where('id', '=', client.id)
        .execute();
      assert.deepEqual(rows, []);
    }
  });

  test('an address that is no document address is an unknown client and is never called', async () => {
    const before = reads.length;
    for (const id of [
      `${origin}/`,
      origin,
      `${origin}/a/../b`,
      `${origin}/a#b`,
      `${origin.replace('//', '//u:p@')}/a`,
      'http://agent.example/a',
    ])
      await problemOf({ id, secret: undefined, redirectUri });
    assert.equal(reads.length, before);
  });

  test('a document is read again when it is due: its new addresses count, and its old ones no more', async () => {
    const { client, metadata, countReads } = publish();
    await getCode(running(), client);
    metadata.redirect_uris = ['https://agent.example/new'];
    await getCode(running(), client);
    assert.equal(countReads(), 1, 'not before');
    await due(client, ago(1));
    await getCode(running(), { ...client, redirectUri: 'https://agent.example/new' });
    assert.equal(countReads(), 2);
    assert.match(await problemOf(client), /redirect_uri/);
  });

  test('a document that cannot be read counts for another day, and one that is gone ends at once', async () => {
    let answer: Answer | undefined;
    const { client } = publish({}, (body) => answer ?? { body });
    await getCode(running(), client);
    answer = { status: 500, body: '' };
    await due(client, ago(60 * 60));
    await getCode(running(), client);
    await due(client, ago(25 * 60 * 60));
    assert.match(await problemOf(client), /could not be read/);
    answer = { status: 410, body: '' };
    await due(client, ago(1));
    assert.match(await problemOf(client), /responded 410/);
  });

  test('how long a document counts is what it says, between five minutes and a day', async () => {
    const lasting = async (cacheControl: string) => {
      const { client } = publish({}, (body) => ({ body, headers: { 'cache-control': cacheControl } }));
      await getCode(running(), client);
      const { document_due_at: dueAt } = await running()
        .services.db.system.selectFrom('client_apps')
        .select('document_due_at')
        .where('id', '=', client.id)
        .executeTakeFirstOrThrow();
      return Math.round(((dueAt?.getTime() ?? 0) - running().services.clock().getTime()) / 60_000);
    };
    const minutes = await Promise.all(['no-store', 'max-age=3600, public', 'public, max-age=99999999'].map(lasting));
    assert.ok((minutes[0] ?? 0) <= 5 && (minutes[1] ?? 0) > 50 && (minutes[1] ?? 0) <= 60, String(minutes));
    assert.ok((minutes[2] ?? 0) > 1_400 && (minutes[2] ?? 0) <= 1_440, String(minutes));
  });

  test('what the operator revokes stays revoked, and without registration no document is read', async () => {
    const { client } = publish();
    await getCode(running(), client);
    const rows = running().services.db.system.updateTable('client_apps').where('id', '=', client.id);
    await rows.set({ status: 'REVOKED', document_due_at: ago(1) }).execute();
    await problemOf(client);
    const { client: unread, countReads } = publish();
    const closed = serveWith(running(), { clientRegistration: { isOpen: false, scopes: [] } });
    const refused = await closed.inject(authorizeAddress(unread, newVerifier()));
    assert.deepEqual([refused.statusCode, refused.json().error, countReads()], [400, 'invalid_client', 0]);
    await closed.close();
  });
}
