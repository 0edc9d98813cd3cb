/** The fields of what a wallet answered. */
export type Parts = Readonly<Record<string, unknown>>;

export interface OpenedAnswer {
  /** A text in the encoding that the chain reads, or a list of composite signatures. */
  signature: unknown;
  publicKey: string | undefined;
  /** Everything that came along. */
  parts: Parts;
}

/** How the bytes of a signature are written for each chain, when a wallet hands out bytes. */
const writeBytes: Readonly<Record<string, (bytes: Buffer) => string>> = {
  evm: (bytes) => `0x${bytes.toString('hex')}`,
  polkadot: (bytes) => `0x${bytes.toString('hex')}`,
  near: (bytes) => bytes.toString('base64'),
  bitcoin: (bytes) => bytes.toString('base64'),
  ton: (bytes) => bytes.toString('base64'),
};
const writeHex = (bytes: Buffer) => bytes.toString('hex');

/**
 * Takes apart what a wallet answered, in any of the shapes that wallets really send: a text, bytes as JSON makes them, or an
 * object that travels as JSON. What it makes of them is only as good as its signature, which is judged elsewhere.
 */
export function openAnswer(namespace: string, sent: unknown): OpenedAnswer {
  const write = writeBytes[namespace] ?? writeHex;
  const value = parse(namespace, sent);
  const bytes = readBytes(value);
  if (bytes !== undefined) return { signature: write(bytes), publicKey: undefined, parts: {} };
  if (!isParts(value)) return { signature: value, publicKey: undefined, parts: {} };
  const parts = namespace === 'ton' ? openTon(unwrap(value)) : unwrap(value);
  const signature = signatureOf(parts);
  const signatureBytes = readBytes(signature);
  return {
    signature: signatureBytes === undefined ? (signature ?? sent) : write(signatureBytes),
    publicKey: readKey(parts.publicKey ?? parts.public_key),
    parts,
  };
}

function isParts(value: unknown): value is Parts {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(namespace: string, sent: unknown): unknown {
  if (typeof sent !== 'string') return sent;
  const text = sent.trim();
  if (/^[{[]/.test(text)) return parseJson(text) ?? sent;
  // What `String` makes of a Uint8Array.
  if (/^\d{1,3}(?:,\d{1,3})+$/.test(text)) return text.split(',').map(Number);
  // Web wallets of NEAR send the browser back with their answer in the address.
  if (namespace === 'near' && text.includes('signature='))
    return Object.fromEntries(new URLSearchParams(text.replace(/^[^#?]*[#?]/, '')));
  return text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const mostBytes = 65_536;

/** Bytes as JSON has them: a list of numbers, an object with numbered fields (Uint8Array) or what Buffer makes of itself. */
export function readBytes(value: unknown): Buffer | undefined {
  const list = isParts(value) ? (Array.isArray(value.data) ? value.data : numbered(value)) : value;
  if (!Array.isArray(list) || list.length === 0 || list.length > mostBytes) return undefined;
  return list.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255) ? Buffer.from(list) : undefined;
}

function numbered(parts: Parts): unknown[] | undefined {
  const keys = Object.keys(parts);
  return keys.every((key, place) => key === String(place)) ? Object.values(parts) : undefined;
}

/** What the field is called by the wallets of one chain or another: XRPL's send a blob as `hex`, or a `signedMessage`. */
function signatureOf({ signature, hex, signedMessage }: Parts): unknown {
  return signature ?? hex ?? signedMessage;
}

const envelopes = ['response', 'result', 'data'];

/** Some wallets put their answer into envelopes, a few deep. */
function unwrap(parts: Parts, depth = 4): Parts {
  if (depth === 0 || signatureOf(parts) !== undefined) return parts;
  const name = envelopes.find((known) => isParts(parts[known]));
  if (name === undefined) return parts;
  const { [name]: inner, ...rest } = parts;
  return unwrap({ ...rest, ...(isParts(inner) && inner) }, depth - 1);
}

/**
 * TON Connect nests its proof: beside the address, in a reply item, or in the items of the whole wallet, whose account then
 * has the key and the StateInit.
 */
function openTon(parts: Parts): Parts {
  const items = isParts(parts.connectItems) ? parts.connectItems : {};
  const item = [items.tonProof, parts.tonProof, parts].find((holder) => isParts(holder) && isParts(holder.proof));
  const proof = isParts(item) && isParts(item.proof) ? item.proof : {};
  const account = isParts(parts.account) ? parts.account : {};
  const all: Parts = { ...account, ...parts, ...proof };
  return { ...all, stateInit: all.stateInit ?? all.state_init ?? all.walletStateInit };
}

/** A key is a text, or with NEAR's library an object with the number of its curve (0 is Ed25519) and its bytes. */
function readKey(key: unknown): string | undefined {
  if (typeof key === 'string') return key;
  const inner = isParts(key) && isParts(key.ed25519Key) ? key.ed25519Key : key;
  const bytes = isParts(inner) ? readBytes(inner.data) : undefined;
  if (bytes === undefined || !isParts(inner)) return undefined;
  return inner.keyType === 0 ? `ed25519:${bytes.toString('hex')}` : undefined;
}
