// A page that opens to people by what their wallets hold. They sign in with Latchkey, by OAuth2 with PKCE.
import { createHash, randomBytes } from 'node:crypto';
import { createGate } from '@latchkey/gate';
import { expressGate } from '@latchkey/gate/express';
import express from 'express';

const latchkey = process.env.LATCHKEY_URL ?? 'http://localhost:3000';
const port = Number(process.env.PORT ?? 3080);
const redirectUri = process.env.REDIRECT_URI ?? `http://localhost:${port}/callback`;
const client = { id: process.env.CLIENT_ID ?? '', secret: process.env.CLIENT_SECRET ?? '' };

const gate = createGate({
  baseUrl: latchkey,
  // Visitors are checked by their own tokens.
  apiKey: '',
  rules: [
    {
      type: 'ERC721',
      chainId: Number(process.env.CHAIN_ID ?? 1),
      contractAddress: process.env.CONTRACT,
      minToken: '1',
      roleId: 'member',
    },
  ],
});

/** What is known of a browser, by the cookie it sends. */
const sessions = new Map();
const random = () => randomBytes(32).toString('base64url');
const sessionOf = (request) => sessions.get(/(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1]);

const app = express();

app.get('/', (_request, response) => response.send('<a href="/members">For members</a>'));

app.get('/login', (_request, response) => {
  const id = random();
  const session = { state: random(), verifier: random() };
  sessions.set(id, session);
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    scope: 'openid token-gating',
    state: session.state,
    code_challenge: createHash('sha256').update(session.verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  response.cookie('session', id, { httpOnly: true, sameSite: 'lax', secure: redirectUri.startsWith('https:') });
  response.redirect(`${latchkey}/oauth2/authorize?${query}`);
});

app.get('/callback', async (request, response) => {
  const session = sessionOf(request);
  // Only the browser that began to sign in may finish it.
  if (session?.state === undefined || request.query.state !== session.state)
    return response.status(400).send('Begin again at /login.');
  session.state = undefined;
  const answer = await fetch(`${latchkey}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: String(request.query.code),
      code_verifier: session.verifier,
      redirect_uri: redirectUri,
    }),
  });
  if (!answer.ok) return response.status(502).send('Latchkey did not accept the sign-in.');
  session.accessToken = (await answer.json()).access_token;
  response.redirect('/members');
});

const visitor = (request) => {
  const accessToken = sessionOf(request)?.accessToken;
  return accessToken === undefined ? undefined : { accessToken };
};
app.use('/members', expressGate(gate, { visitor, loginUrl: '/login' }));
app.get('/members', (request, response) => response.send(`Welcome, ${request.holder.roles.join(', ')}!`));

const server = app.listen(port, '127.0.0.1', () => console.log(`http://localhost:${server.address().port}`));
