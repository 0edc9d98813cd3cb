import { joinBytes, writeHex } from './bytes.ts';
import type { Interaction, InteractionResponse, Message } from './interaction.ts';
import type { MiniApp, MiniAppOptions } from './mini-app.ts';
import { nowMs, randomId } from './runtime.ts';

const callbackHome = 'https://latchkey.test/callbacks/';

/** What differs from the default interaction. */
export type Changes = Partial<Omit<Interaction, 'actionContext'>> & { actionContext?: Record<string, unknown> };

export interface Tester {
  /** Runs a command as a member would. */
  command(name: string, options?: Record<string, unknown>, changes?: Changes): Promise<AppResponse>;
  /** Presses a button. */
  press(customId: string, changes?: Changes): Promise<AppResponse>;
  /** Notifies the app that a community installed or uninstalled it. */
  event(event: string): Promise<number>;
  /** Returns the visible follow-up messages, in order. */
  messages(): (Message & { id: string })[];
  /** Sends the calls of the server's probe: unsigned, old and wrongly signed. Returns what the app did wrong. */
  probe(): Promise<string[]>;
}

export interface AppResponse {
  status: number;
  /** Undefined if the app sent no response. */
  response: InteractionResponse | undefined;
}

/**
 * Emulates a Latchkey server in the process: no network, no Discord. It has its own key, which is passed to the app: `createTester((world)
 * => createMiniApp({ ...world, metadata, onInteraction }))`.
 */
export async function createTester(make: (world: Pick<MiniAppOptions, 'keys' | 'fetch'>) => MiniApp): Promise<Tester> {
  const pair = await newKeyPair();
  const board = createBoard();
  const app = make({ keys: { ed25519: writeHex(new Uint8Array(await exportKey(pair))) }, fetch: board.fetch });
  const post = async (path: string, body: string, headers: Record<string, string>) =>
    app.fetch(new Request(`https://mini-app.test/${path}`, { method: 'POST', body, headers }));
  const sign = async (body: string, atMs = nowMs()) => signBody(pair, body, atMs);
  const send = async (
    interaction: Record<string, unknown>,
    { actionContext, ...changes }: Changes = {},
  ): Promise<AppResponse> => {
    const id = randomId();
    const body = JSON.stringify({
      id,
      token: '',
      guild_id: '1',
      channel_id: '2',
      member: { user: { id: '3', username: 'ada' }, roles: [] },
      ...interaction,
      ...changes,
      actionContext: { callbackUrl: callbackHome + id, guildName: 'Cats', ...actionContext },
    });
    const response = await post('interactions', body, await sign(body));
    const text = await response.text();
    await app.settled();
    return { status: response.status, response: response.status === 200 ? JSON.parse(text) : undefined };
  };
  return {
    command: (name, options = {}, changes) => {
      const list = Object.entries(options).map(([option, value]) => ({ name: option, type: 3, value }));
      return send({ type: 2, data: { name, type: 1, options: list } }, changes);
    },
    press: (customId, changes) => send({ type: 3, data: { custom_id: customId, component_type: 2 } }, changes),
    event: async (event) => {
      const body = JSON.stringify({ event, timestamp: nowMs(), guildId: '1' });
      return (await post('events', body, await sign(body))).status;
    },
    messages: board.messages,
    probe: async () => {
      const body = JSON.stringify({ id: '0', type: 4, data: {}, guild_id: '0', actionContext: {} });
      const good = await sign(body);
      const tries: [string, Record<string, string>][] = [
        ['a call without a signature', { 'x-signature-timestamp': good['x-signature-timestamp'] }],
        ['a call without a time', { 'x-signature-ed25519': good['x-signature-ed25519'] }],
        ['the signature of another body', await sign(`${body} `)],
        ['an old call', await sign(body, nowMs() - 6 * 60_000)],
      ];
      const wrong: string[] = [];
      for (const [what, headers] of tries)
        for (const path of ['interactions', 'events'])
          if ((await post(path, body, headers)).status < 400) wrong.push(`/${path} accepted ${what}.`);
      return wrong;
    },
  };
}

/** Emulates the callback URL, which stores messages. */
function createBoard() {
  const kept = new Map<string, Message>();
  const receive: typeof fetch = async (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    if (!url.startsWith(callbackHome)) return globalThis.fetch(input, init);
    const id = /\/messages\/([^/]+)$/.exec(url)?.[1] ?? randomId();
    if (init?.method === 'DELETE') return new Response(null, { status: kept.delete(id) ? 204 : 404 });
    if (init?.method === 'PATCH' && id !== '@original' && !kept.has(id)) return new Response('{}', { status: 404 });
    kept.set(id, { ...kept.get(id), ...(JSON.parse(String(init?.body)) as Message) });
    return Response.json({ id });
  };
  return { fetch: receive, messages: () => [...kept].map(([id, message]) => ({ ...message, id })) };
}

async function newKeyPair(): Promise<CryptoKeyPair> {
  return (await crypto.subtle.generateKey({ name: 'Ed25519' }, true, ['sign', 'verify'])) as CryptoKeyPair;
}

async function exportKey({ publicKey }: CryptoKeyPair): Promise<ArrayBuffer> {
  return crypto.subtle.exportKey('raw', publicKey);
}

async function signBody({ privateKey }: CryptoKeyPair, body: string, atMs: number) {
  const encoder = new TextEncoder();
  const signed = joinBytes(encoder.encode(String(atMs)), encoder.encode(body));
  const signature = await crypto.subtle.sign({ name: 'Ed25519' }, privateKey, signed);
  return {
    'x-signature-timestamp': String(atMs),
    'x-signature-ed25519': writeHex(new Uint8Array(signature)),
    'content-type': 'application/json',
  };
}
