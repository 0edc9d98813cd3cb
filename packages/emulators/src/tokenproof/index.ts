import { createHmac } from 'node:crypto';
import { writePage } from '../http/html.ts';
import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

export interface TokenproofOptions extends EmulatorAddress {
  /** Signs the responses. */
  secret?: string;
}

/** The service and a phone, whose app opens requests and responds to them. */
export interface TokenproofEmulator extends HttpEmulator {
  secret: string;
  /** Opens a link of the app and proves an account. */
  prove(appLink: string, account: string): void;
  /** Opens a link of the app and refuses. */
  refuse(appLink: string): void;
}

interface Request {
  requestId: string;
  nonce: string;
}

/** Starts the service that requests proofs from phones, in the protocol of Latchkey. A page plays the phone's app. */
export async function startTokenproofEmulator({
  secret = 'tokenproof-secret',
  ...address
}: TokenproofOptions = {}): Promise<TokenproofEmulator> {
  const responses = new Map<string, string>();
  const respond = ({ requestId, nonce }: Request, response: Record<string, string>) =>
    void responses.set(requestId, JSON.stringify({ nonce, session_id: `session-${responses.size + 1}`, ...response }));
  const prove = (request: Request, account: string) => respond(request, { status: 'authenticated', account });
  const refuse = (request: Request) => respond(request, { status: 'rejected', reason: 'The user refused.' });

  function answer({ method, path, query, text }: EmulatorRequest): EmulatorReply {
    const [, requestId] = /^\/responses\/([^/]+)$/.exec(path) ?? [];
    if (requestId !== undefined) return showResponse(responses.get(requestId), secret);
    const request = readRequest(query);
    if (path !== '/app' || request === undefined) return { status: 404, body: { error: 'not_found' } };
    if (method !== 'POST') return page('Prove an account', form);
    const given = new URLSearchParams(text);
    const account = given.get('account') ?? '';
    if (given.get('decision') === 'refuse') refuse(request);
    else if (/^0x[0-9a-fA-F]{40}$/.test(account)) prove(request, account);
    else return { ...page('Prove an account', `<p>That is not an account.</p>${form}`), status: 400 };
    return page('Done', '<p>Return to the page that showed the code.</p>');
  }

  const emulator = await startHttpEmulator(answer, address);
  return {
    ...emulator,
    secret,
    prove: (appLink, account) => prove(openLink(appLink), account),
    refuse: (appLink) => refuse(openLink(appLink)),
  };
}

const form = `<form method="post"><label>Account <input name="account" size="44" placeholder="0x…"></label>
<button name="decision" value="prove">Prove it</button> <button name="decision" value="refuse">Refuse</button></form>`;

function page(title: string, body: string): EmulatorReply {
  return { headers: { 'content-type': 'text/html; charset=utf-8' }, body: writePage(title, body) };
}

function readRequest(query: URLSearchParams): Request | undefined {
  const [requestId, nonce] = [query.get('request_id'), query.get('nonce')];
  return requestId && nonce ? { requestId, nonce } : undefined;
}

function openLink(appLink: string): Request {
  const request = readRequest(new URL(appLink).searchParams);
  if (request === undefined) throw new Error(`This link opens no request: ${appLink}`);
  return request;
}

/** A response is signed over its exact bytes. */
function showResponse(body: string | undefined, secret: string): EmulatorReply {
  if (body === undefined) return { status: 404, body: {} };
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return { headers: { 'content-type': 'application/json', 'x-tokenproof-signature': signature }, body };
}
