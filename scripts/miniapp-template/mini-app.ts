// A mini-app for Latchkey. Run it with Node 24 or later: node mini-app.ts
// It trusts only the keys from its environment. docs/mini-apps.md of Latchkey explains the protocol.
import { createPublicKey, verify } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';

/** The server's Ed25519 key in hex: actionEd25519PublicKeyHex of GET /config. */
const serverKey = process.env.LATCHKEY_ACTION_KEY ?? '';
/** The client application in whose name this app requests permissions. */
const clientId = process.env.LATCHKEY_CLIENT_ID ?? '';
const port = Number(process.env.PORT ?? 3080);
const windowMs = 5 * 60 * 1000;

if (!/^[0-9a-f]{64}$/i.test(serverKey)) {
  console.error(
    'Set LATCHKEY_ACTION_KEY to actionEd25519PublicKeyHex of GET /config: without it no call can be checked.',
  );
  process.exit(1);
}

const metadata = {
  signatureType: 'ed25519',
  manifest: {
    appId: 'my-mini-app',
    developer: 'me',
    appType: 'action',
    name: 'My mini-app',
    shortName: 'mine',
    version: { name: '0.1.0' },
    shortDescription: 'Greets people and asks who they are.',
    platforms: ['discord'],
  },
  applicationCommands: [{ name: 'greet', description: 'Be greeted', type: 1 }],
  supportedInteractions: [{ type: 2, names: ['greet'] }],
  requiredContext: ['guildName'],
};

interface Interaction {
  type: number;
  data?: { name?: string; custom_id?: string };
  member?: { user?: { username?: string } };
  actionContext: { callbackUrl: string; apiToken?: string; guildName?: string };
}

/** Returns true if the server signed this body within the last five minutes. */
function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const timestamp = String(request.headers['x-signature-timestamp'] ?? '');
  const signature = String(request.headers['x-signature-ed25519'] ?? '');
  if (!/^\d{1,16}$/.test(timestamp) || !/^[0-9a-f]{128}$/i.test(signature)) return false;
  if (Math.abs(Date.now() - Number(timestamp)) >= windowMs) return false;
  const x = Buffer.from(serverKey, 'hex').toString('base64url');
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  return verify(null, Buffer.concat([Buffer.from(timestamp), body]), key, Buffer.from(signature, 'hex'));
}

async function answer(interaction: Interaction): Promise<unknown> {
  const { data = {}, actionContext } = interaction;
  if (data.custom_id?.startsWith('$approve-user-permissions:')) {
    const origin = new URL(actionContext.callbackUrl).origin;
    const headers = { authorization: `Bearer ${actionContext.apiToken}` };
    const me = (await (await fetch(`${origin}/account/me`, { headers })).json()) as { userName?: string };
    return say(`You are ${me.userName ?? 'someone'} to the server.`);
  }
  if (data.custom_id?.startsWith('$deny-user-permissions:')) return say('Then I will not ask the server.');
  setTimeout(() => void goOn(actionContext.callbackUrl).catch(console.error), 100);
  return say(`Hello, ${interaction.member?.user?.username ?? 'you'}, in ${actionContext.guildName ?? 'this server'}!`);
}

/** Further messages go to the callback URL, which is valid for 15 minutes and needs no key. */
async function goOn(callbackUrl: string): Promise<void> {
  const note = await send('POST', callbackUrl, { content: 'One moment…', flags: 64 });
  await send('PATCH', `${callbackUrl}/messages/${note.id}`, { content: 'Almost there.' });
  await send('DELETE', `${callbackUrl}/messages/${note.id}`);
  const interactionId = new URL(callbackUrl).pathname.split('/').at(-1);
  const button = (label: string, style: number, word: string) => ({
    type: 2,
    style,
    label,
    custom_id: `$${word}-user-permissions:${interactionId}`,
  });
  await send('POST', callbackUrl, {
    // These buttons only open the server's own consent question; the token comes once the user has consented there.
    content: 'May I ask the server who you are?',
    flags: 64,
    embeds: [
      {
        title: 'What I ask for',
        fields: [
          { name: 'action-client-id', value: clientId },
          { name: 'action-requested-scopes', value: 'user:read' },
        ],
      },
    ],
    components: [{ type: 1, components: [button('Yes', 3, 'approve'), button('No', 4, 'deny')] }],
  });
}

async function send(method: string, url: string, body?: unknown): Promise<{ id?: string }> {
  const init =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(url, { method, ...init });
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}.`);
  return response.status === 204 ? {} : ((await response.json()) as { id?: string });
}

function say(content: string): unknown {
  return { type: 4, data: { content, flags: 64 } };
}

const server = createServer(async (request, response) => {
  const reply = (status: number, body?: unknown) =>
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(body === undefined ? '' : JSON.stringify(body));
  try {
    if (request.method === 'GET' && request.url === '/metadata') return reply(200, metadata);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (request.headers['x-signature-timestamp'] === undefined) return reply(400, { error: 'The time is missing.' });
    if (request.headers['x-signature-ed25519'] === undefined) return reply(400, { error: 'The signature is missing.' });
    if (!isSigned(request, body)) return reply(401, { error: 'The signature is wrong or old.' });
    if (request.url === '/events') return reply(204);
    if (request.url === '/interactions')
      return reply(200, await answer(JSON.parse(body.toString('utf8')) as Interaction));
    return reply(404, { error: 'There is nothing here.' });
  } catch (error) {
    console.error(error);
    return reply(500, { error: 'Something went wrong.' });
  }
});
server.listen(port, '127.0.0.1', () => {
  const address = server.address();
  console.log(`The mini-app listens on port ${typeof address === 'object' && address !== null ? address.port : port}.`);
});
