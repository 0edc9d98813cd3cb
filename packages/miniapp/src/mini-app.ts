import { joinBytes, readBase58, readBigInt, readHex } from './bytes.ts';
import type { Interaction, InteractionResponse, Message, MiniAppEvent } from './interaction.ts';
import { nowMs, printError } from './runtime.ts';

/** The response of `GET /metadata`. */
export interface Metadata {
  manifest: { appId: string; developer: string; name: string; shortName?: string; [field: string]: unknown };
  applicationCommands?: readonly { name: string; description?: string; type?: number; [field: string]: unknown }[];
  supportedInteractions?: readonly {
    type: number;
    names?: readonly string[];
    ids?: readonly string[];
    [field: string]: unknown;
  }[];
  /** The fields that you need in `actionContext`, for example `guildName`. */
  requiredContext?: readonly string[];
  [field: string]: unknown;
}

/** What a handler can do besides responding. */
export interface Tools {
  /** Sends further messages. */
  followUp: FollowUp;
  /** Runs work after the response was sent. A failure goes to `onError`. */
  later(work: () => Promise<unknown>): void;
}

export interface MiniAppOptions {
  keys: ServerKeys;
  metadata: Metadata;
  /** Handles an interaction and returns the response; undefined for none. After three seconds, users see "thinking". */
  onInteraction(
    interaction: Interaction,
    tools: Tools,
  ): Promise<InteractionResponse | undefined> | InteractionResponse | undefined;
  /** Called when a community installs or uninstalls the app. */
  onEvent?(event: MiniAppEvent): Promise<void> | void;
  /** Receives errors that your handlers throw. Defaults to printing them. */
  onError?(error: unknown): void;
  /** For tests. */
  fetch?: typeof fetch;
}

export interface MiniApp {
  /** Handles a request of the server: the app as a web-standard handler, for Hono, Next.js, Deno, workers and `serve`. */
  fetch(request: Request): Promise<Response>;
  /** Resolves when all work passed to `later` is done. */
  settled(): Promise<void>;
}

/** Creates a mini-app. Only calls that your Latchkey server signed reach its handlers. */
export function createMiniApp(options: MiniAppOptions): MiniApp {
  const { metadata, onInteraction, onEvent, onError = printError } = options;
  const keys = readKeys(options.keys);
  const ongoing = new Set<Promise<unknown>>();
  const later = (work: () => Promise<unknown>) => {
    const running = Promise.resolve().then(work).catch(onError);
    ongoing.add(running);
    running.finally(() => ongoing.delete(running)).catch(onError);
  };
  const act = async (path: string, text: string): Promise<Response> => {
    const reply: unknown = JSON.parse(text);
    if (path === 'events') {
      await onEvent?.(reply as MiniAppEvent);
      return new Response(null, { status: 204 });
    }
    const interaction = reply as Interaction;
    interaction.actionContext ??= {};
    const answer = await onInteraction(interaction, { followUp: followUpOn(interaction, options.fetch), later });
    return answer === undefined ? new Response(null, { status: 204 }) : Response.json(answer);
  };
  const answer = async (request: Request): Promise<Response> => {
    const path = new URL(request.url).pathname.replace(/\/+$/, '').split('/').at(-1) ?? '';
    if (request.method === 'GET' && path === 'metadata') return Response.json(metadata);
    if (request.method !== 'POST' || !['events', 'interactions'].includes(path)) return refuse(404, 'Not found.');
    const body = new Uint8Array(await request.arrayBuffer());
    const doubt = await doubtCall(request.headers, body, keys);
    if (doubt !== undefined) return refuse(doubt.status, doubt.message);
    return act(path, new TextDecoder().decode(body));
  };
  return {
    fetch: async (request) => {
      try {
        return await answer(request);
      } catch (error) {
        onError(error);
        return refuse(500, 'Something went wrong.');
      }
    },
    settled: async () => {
      while (ongoing.size > 0) await Promise.all(ongoing);
    },
  };
}

function refuse(status: number, message: string): Response {
  return Response.json({ error: { statusCode: status, message } }, { status });
}

/** Sends further messages about an interaction, for 15 minutes after it. */
export interface FollowUp {
  /** Sends one more message and returns its id. */
  send(message: Message): Promise<{ id: string }>;
  /** Changes a message; `@original` is the first response. */
  edit(messageId: string, message: Message): Promise<void>;
  remove(messageId: string): Promise<void>;
}

/** The server rejected a message. */
export class FollowUpError extends Error {
  override name = 'FollowUpError';
  readonly status: number;

  constructor(status: number, verb: string) {
    // The callback URL is left out: anyone who has it can post in your app's name.
    super(`The server responded with ${status} when a message was ${verb}.`);
    this.status = status;
  }
}

export function followUpOn(interaction: Interaction, send: typeof fetch = globalThis.fetch): FollowUp {
  const request = async (method: string, verb: string, path: string, message?: Message): Promise<unknown> => {
    const { callbackUrl } = interaction.actionContext;
    if (callbackUrl === undefined) throw new TypeError('The interaction has no callback URL.');
    const response = await send(`${callbackUrl}${path}`, {
      method,
      signal: AbortSignal.timeout(30_000),
      ...(message && { body: JSON.stringify(message), headers: { 'content-type': 'application/json' } }),
    });
    if (!response.ok) throw new FollowUpError(response.status, verb);
    return response.status === 204 ? undefined : response.json();
  };
  return {
    send: async (message) => {
      const sent = await request('POST', 'sent', '', message);
      return { id: String((sent as { id?: unknown } | undefined)?.id) };
    },
    edit: async (id, message) => {
      await request('PATCH', 'changed', `/messages/${encodeURIComponent(id)}`, message);
    },
    remove: async (id) => {
      await request('DELETE', 'deleted', `/messages/${encodeURIComponent(id)}`);
    },
  };
}

const windowMs = 5 * 60 * 1_000;

/** Why a call is refused, and the response status. */
interface Doubt {
  status: 400 | 401;
  message: string;
}

/**
 * Whether a call was signed by one of these keys within the last five minutes. Use it for calls that do not go to a mini-app created by
 * `createMiniApp`, such as the webhook of your manifest, which is signed with the key of your own registration.
 */
export async function isSignedCall(headers: Headers, body: Uint8Array, keys: ServerKeys): Promise<boolean> {
  return (await doubtCall(headers, body, readKeys(keys))) === undefined;
}

/**
 * Checks that the server signed this body within five minutes of now. Returns what is wrong, or undefined. Every signature for which there
 * is a key must be valid, and there must be at least one.
 */
async function doubtCall(headers: Headers, body: Uint8Array, keys: ReadKeys): Promise<Doubt | undefined> {
  const timestamp = headers.get('x-signature-timestamp');
  const ed25519 = headers.get('x-signature-ed25519');
  const ecdsa = headers.get('x-signature-ecdsa');
  if (timestamp === null || timestamp === '')
    return { status: 400, message: 'The header X-Signature-Timestamp is missing.' };
  if (ed25519 === null && ecdsa === null) return { status: 400, message: 'The signature is missing.' };
  if (!/^\d{1,16}$/.test(timestamp) || Math.abs(nowMs() - Number(timestamp)) > windowMs)
    return { status: 401, message: 'The call is older than five minutes, or its timestamp is invalid.' };
  const signed = joinBytes(new TextEncoder().encode(timestamp), body);
  const checks = [
    ...(ed25519 !== null && keys.ed25519 ? [await isEd25519(keys.ed25519, ed25519, signed)] : []),
    ...(ecdsa !== null && keys.ecdsa ? [isPersonalSign(keys.ecdsa, ecdsa, signed)] : []),
  ];
  const isRight = checks.length > 0 && checks.every((isGood) => isGood);
  return isRight ? undefined : { status: 401, message: 'The signature is wrong.' };
}

async function isEd25519(publicKey: Uint8Array<ArrayBuffer>, signature: string, signed: Uint8Array<ArrayBuffer>) {
  const bytes = readHex(signature);
  if (bytes?.length !== 64) return false;
  const key = await crypto.subtle.importKey('raw', publicKey, { name: 'Ed25519' }, false, ['verify']);
  return crypto.subtle.verify({ name: 'Ed25519' }, key, bytes, signed);
}

/** EIP-191: what wallets sign as a message. The last byte is only for recovering the key, and this key is known. */
function isPersonalSign(publicKey: Uint8Array, signature: string, signed: Uint8Array): boolean {
  const bytes = readHex(signature);
  if (bytes?.length !== 65) return false;
  const prefix = new TextEncoder().encode(`\x19Ethereum Signed Message:\n${signed.length}`);
  const digest = keccak256(joinBytes(prefix, signed));
  return isSignedBy(publicKey, digest, readBigInt(bytes.subarray(0, 32)), readBigInt(bytes.subarray(32, 64)));
}

// Keccak-256 as in Ethereum: FIPS 202's permutation with the padding of the original submission.

const rateBytes = 136;
const lane = (1n << 64n) - 1n;

/** FIPS 202, section 3.2.5: the round constants, by their shift register. */
const roundConstants = ((): readonly bigint[] => {
  let register = 1;
  const nextBit = () => {
    const bit = register & 1;
    register = register & 0x80 ? ((register << 1) & 0xff) ^ 0x71 : register << 1;
    return bit;
  };
  return Array.from({ length: 24 }, () => {
    let constant = 0n;
    for (let j = 0; j < 7; j += 1) if (nextBit() === 1) constant |= 1n << BigInt(2 ** j - 1);
    return constant;
  });
})();

export function keccak256(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const blocks = Math.floor(message.length / rateBytes) + 1;
  const padded = new Uint8Array(blocks * rateBytes);
  padded.set(message);
  padded[message.length] = 0x01;
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80;
  const state = new BigUint64Array(25);
  const view = new DataView(padded.buffer);
  for (let block = 0; block < blocks; block += 1) {
    for (let word = 0; word < rateBytes / 8; word += 1)
      state[word] = at(state, word) ^ view.getBigUint64(block * rateBytes + word * 8, true);
    permute(state);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (let word = 0; word < 4; word += 1) digest.setBigUint64(word * 8, at(state, word), true);
  return new Uint8Array(digest.buffer);
}

function permute(state: BigUint64Array): void {
  for (const constant of roundConstants) {
    theta(state);
    rhoAndPi(state);
    chi(state);
    state[0] = at(state, 0) ^ constant;
  }
}

function theta(state: BigUint64Array): void {
  const columns = [0, 1, 2, 3, 4].map((x) =>
    [0, 5, 10, 15, 20].reduce((parity, row) => parity ^ at(state, x + row), 0n),
  );
  for (let x = 0; x < 5; x += 1) {
    const mixed = (columns[(x + 4) % 5] ?? 0n) ^ rotate(columns[(x + 1) % 5] ?? 0n, 1);
    for (let row = 0; row < 25; row += 5) state[x + row] = at(state, x + row) ^ mixed;
  }
}

function rhoAndPi(state: BigUint64Array): void {
  let [x, y] = [1, 0];
  let current = at(state, 1);
  for (let step = 0; step < 24; step += 1) {
    [x, y] = [y, (2 * x + 3 * y) % 5];
    const next = at(state, x + 5 * y);
    state[x + 5 * y] = rotate(current, (((step + 1) * (step + 2)) / 2) % 64);
    current = next;
  }
}

function chi(state: BigUint64Array): void {
  for (let row = 0; row < 25; row += 5) {
    const before = [0, 1, 2, 3, 4].map((x) => at(state, row + x));
    for (let x = 0; x < 5; x += 1)
      state[row + x] = (before[x] ?? 0n) ^ (~(before[(x + 1) % 5] ?? 0n) & lane & (before[(x + 2) % 5] ?? 0n));
  }
}

function rotate(value: bigint, bits: number): bigint {
  return ((value << BigInt(bits)) | (value >> BigInt(64 - bits))) & lane;
}

function at(state: BigUint64Array, index: number): bigint {
  return state[index] ?? 0n;
}

/**
 * The keys of the Latchkey server that you trust, from its `GET /config`. One is enough. Configure them when you deploy: an app that
 * fetches them while verifying a call trusts any server that responds.
 */
export interface ServerKeys {
  /** `actionEd25519PublicKeyHex`, or `actionEd25519PublicKey` in base 58. */
  ed25519?: string | undefined;
  /** `actionEcdsaPublicKey`: 0x04 and 128 hex digits. */
  ecdsa?: string | undefined;
}

interface ReadKeys {
  ed25519?: Uint8Array<ArrayBuffer>;
  ecdsa?: Uint8Array<ArrayBuffer>;
}

/** Parses the keys and throws for invalid ones: without a key, no call can be verified. */
export function readKeys({ ed25519, ecdsa }: ServerKeys): ReadKeys {
  const keys: ReadKeys = {};
  if (ed25519 !== undefined && ed25519 !== '') keys.ed25519 = readEd25519(ed25519.replace(/^ed25519:/, ''));
  if (ecdsa !== undefined && ecdsa !== '') keys.ecdsa = readEcdsa(ecdsa.replace(/^ecdsa:/, ''));
  if (keys.ed25519 === undefined && keys.ecdsa === undefined)
    throw new TypeError('Give a key of your Latchkey server, for example actionEd25519PublicKeyHex of GET /config.');
  return keys;
}

function readEd25519(text: string): Uint8Array<ArrayBuffer> {
  const bytes = /^(0x)?[0-9a-f]{64}$/i.test(text) ? readHex(text) : readBase58(text);
  if (bytes?.length !== 32)
    throw new TypeError('The Ed25519 key is invalid. It must be 32 bytes, as 64 hex digits or in base 58.');
  return bytes;
}

function readEcdsa(text: string): Uint8Array<ArrayBuffer> {
  const bytes = readHex(text);
  if (bytes === undefined || readPoint(bytes) === undefined)
    throw new TypeError('The ECDSA key is invalid. It must be 0x04 and 128 hex digits, a point of secp256k1.');
  return bytes;
}

// Verification only (SEC 1, section 4.1.4, on the curve of SEC 2, section 2.4.1). It uses public values only, so its time may depend on
// them. WebCrypto does not have this curve.
const fieldPrime = 2n ** 256n - 2n ** 32n - 977n;
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Jacobian coordinates; z = 0 is the point at infinity. */
interface Point {
  x: bigint;
  y: bigint;
  z: bigint;
}

const infinity: Point = { x: 1n, y: 1n, z: 0n };
const generator: Point = {
  x: 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  y: 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
  z: 1n,
};

/** Whether r and s sign the digest with the key, which is uncompressed: 0x04, x and y. */
function isSignedBy(publicKey: Uint8Array, digest: Uint8Array, r: bigint, s: bigint): boolean {
  const key = readPoint(publicKey);
  if (key === undefined || r <= 0n || r >= order || s <= 0n || s >= order) return false;
  const inverse = invert(s, order);
  const sum = addMultiples([generator, mod(readBigInt(digest) * inverse, order)], [key, mod(r * inverse, order)]);
  if (sum.z === 0n) return false;
  const zInverse = invert(sum.z, fieldPrime);
  return mod(mod(sum.x * zInverse * zInverse), order) === r;
}

/** Parses a point of the curve; undefined for other bytes. */
function readPoint(bytes: Uint8Array): Point | undefined {
  if (bytes.length !== 65 || bytes[0] !== 4) return undefined;
  const [x, y] = [readBigInt(bytes.subarray(1, 33)), readBigInt(bytes.subarray(33))];
  const isOnCurve = x < fieldPrime && y < fieldPrime && mod(y * y) === mod(x * x * x + 7n);
  return isOnCurve ? { x, y, z: 1n } : undefined;
}

/** Computes the sum of both products at once, bit by bit. */
function addMultiples([a, aTimes]: [Point, bigint], [b, bTimes]: [Point, bigint]): Point {
  const both = add(a, b);
  let sum = infinity;
  for (let bit = 255n; bit >= 0n; bit -= 1n) {
    sum = double(sum);
    const hasA = ((aTimes >> bit) & 1n) === 1n;
    const hasB = ((bTimes >> bit) & 1n) === 1n;
    if (hasA || hasB) sum = add(sum, hasA && hasB ? both : hasA ? a : b);
  }
  return sum;
}

function double({ x, y, z }: Point): Point {
  if (z === 0n || y === 0n) return infinity;
  const yy = mod(y * y);
  const s = mod(4n * x * yy);
  const m = mod(3n * x * x);
  const x3 = mod(m * m - 2n * s);
  return { x: x3, y: mod(m * (s - x3) - 8n * yy * yy), z: mod(2n * y * z) };
}

function add(p: Point, q: Point): Point {
  if (p.z === 0n) return q;
  if (q.z === 0n) return p;
  const [pzz, qzz] = [mod(p.z * p.z), mod(q.z * q.z)];
  const [u1, u2] = [mod(p.x * qzz), mod(q.x * pzz)];
  const [s1, s2] = [mod(p.y * qzz * q.z), mod(q.y * pzz * p.z)];
  if (u1 === u2) return s1 === s2 ? double(p) : infinity;
  const h = mod(u2 - u1);
  const hh = mod(h * h);
  const hhh = mod(h * hh);
  const v = mod(u1 * hh);
  const r = mod(s2 - s1);
  const x = mod(r * r - hhh - 2n * v);
  return { x, y: mod(r * (v - x) - s1 * hhh), z: mod(p.z * q.z * h) };
}

function mod(value: bigint, modulus = fieldPrime): bigint {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
}

/** Euclid's algorithm. The value must not be 0. */
function invert(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [mod(value, modulus), modulus, 1n, 0n];
  while (a > 1n) {
    const quotient = b / a;
    [a, b, x, y] = [b - quotient * a, a, y - quotient * x, x];
  }
  return mod(x, modulus);
}
