import { base58 } from '@scure/base';
import { nearPublicKey, type SignedFields, tonPublicKey } from './test-wallets.ts';

/** What a wallet signed, and how a wallet or client library encodes it. */
interface Signed {
  fields: SignedFields;
  bytes: Buffer;
  address: string;
  n: number;
}
type Shape = (signed: Signed) => SignedFields;

const json = (value: unknown): SignedFields => ({ signature: JSON.stringify(value) });
const keyBytes = (n: number) => [...base58.decode(nearPublicKey(n).slice('ed25519:'.length))];
const tonProof = ({ fields }: Signed): Record<string, unknown> => JSON.parse(String(fields.signature));
const tonKey = (n: number) => tonPublicKey(n).slice(2);

/** Extracts the signature's bytes from a test wallet's response. */
export function bytesOf(namespace: string, { signature }: SignedFields): Buffer {
  const text = String(signature);
  switch (namespace) {
    case 'solana':
      return Buffer.from(base58.decode(text));
    case 'tezos':
      // The edsig prefix has five bytes, the checksum four.
      return Buffer.from(base58.decode(text).subarray(5, -4));
    case 'near':
    case 'bitcoin':
      return Buffer.from(text, 'base64');
    case 'ton':
      return Buffer.from(JSON.parse(text).signature, 'base64');
    case 'flow':
      return Buffer.alloc(0);
    default:
      return Buffer.from(text.replace(/^0x/, ''), 'hex');
  }
}

/** Responses in the shapes of real wallets and their libraries, by chain. */
export const walletAnswers: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  evm: {
    'an answer of JSON-RPC': ({ fields }) => json({ jsonrpc: '2.0', id: 1, result: { signature: fields.signature } }),
    bytes: ({ bytes }) => json([...bytes]),
  },
  solana: {
    'hexadecimal digits': ({ bytes }) => ({ signature: bytes.toString('hex') }),
    'hexadecimal digits after 0x': ({ bytes }) => ({ signature: `0x${bytes.toString('hex')}` }),
    base64: ({ bytes }) => ({ signature: bytes.toString('base64') }),
    'a list of bytes': ({ bytes }) => json([...bytes]),
    'bytes with commas': ({ bytes }) => ({ signature: bytes.join(',') }),
    'a Uint8Array as JSON': ({ bytes }) => json(new Uint8Array(bytes)),
    'the answer of Phantom': ({ bytes, address }) => json({ signature: new Uint8Array(bytes), publicKey: address }),
    'a Buffer as JSON': ({ bytes }) => json({ signature: bytes }),
    'the answer of a deep link': ({ fields }) => json({ signature: fields.signature }),
  },
  tezos: {
    'the answer of Beacon': ({ fields }) =>
      json({ type: 'sign_payload_response', version: '2', signingType: 'micheline', ...fields }),
    'hexadecimal digits': ({ fields, bytes }) => ({ ...fields, signature: bytes.toString('hex') }),
    'a key in hexadecimal digits': ({ fields }) => ({
      ...fields,
      publicKey: Buffer.from(base58.decode(fields.publicKey ?? '').subarray(4, -4)).toString('hex'),
    }),
    'a key after the number of its curve': ({ fields }) => ({
      ...fields,
      publicKey: `00${Buffer.from(base58.decode(fields.publicKey ?? '').subarray(4, -4)).toString('hex')}`,
    }),
  },
  polkadot: {
    'the answer of signRaw': ({ fields }) => json({ id: 1, signature: fields.signature }),
    'a Uint8Array as JSON': ({ bytes }) => json(new Uint8Array(bytes)),
  },
  flow: {
    'a list as JSON': ({ fields }) => json(fields.signature),
  },
  near: {
    'the answer of NEP-413': ({ fields, address, n }) =>
      json({ accountId: address, publicKey: nearPublicKey(n), signature: fields.signature, state: null }),
    'the answer of a web wallet in an address': ({ fields, address, n }) => ({
      signature: `https://latchkey.test/connect#${new URLSearchParams({
        accountId: address,
        publicKey: nearPublicKey(n),
        signature: String(fields.signature),
      })}`,
    }),
    'a signature and key of near-api-js': ({ bytes, n }) =>
      json({ signature: new Uint8Array(bytes), publicKey: { keyType: 0, data: new Uint8Array(keyBytes(n)) } }),
    'base58 after the name of the curve': ({ bytes, n }) => ({
      public_key: nearPublicKey(n),
      signature: `ed25519:${base58.encode(bytes)}`,
    }),
  },
  bitcoin: {
    'the answer of Leather': ({ fields, address }) =>
      json({ jsonrpc: '2.0', id: '1', result: { signature: fields.signature, address } }),
    'the answer of Xverse': ({ fields, address }) =>
      json({
        status: 'success',
        result: { address, messageHash: '00', signature: fields.signature, protocol: 'ECDSA' },
      }),
    'the bytes of Phantom': ({ bytes }) => json({ signature: new Uint8Array(bytes) }),
    'hexadecimal digits': ({ bytes }) => ({ signature: bytes.toString('hex') }),
  },
  xrpl: {
    'the answer of Crossmark': ({ fields, address }) =>
      json({ response: { data: { address, publicKey: fields.publicKey, signature: fields.signature } } }),
    'the answer of GemWallet': ({ fields }) => ({
      publicKey: fields.publicKey ?? '',
      ...json({ type: 'response', result: { signedMessage: fields.signature } }),
    }),
  },
  ton: {
    'a proof beside its address': (signed) =>
      json({ address: signed.address, public_key: tonKey(signed.n), proof: tonProof(signed) }),
    'a reply item of TON Connect': (signed) => json({ name: 'ton_proof', proof: tonProof(signed) }),
    'the wallet of TON Connect': (signed) =>
      json({
        device: { platform: 'browser' },
        account: { address: signed.address, chain: '-239', publicKey: tonKey(signed.n) },
        connectItems: { tonProof: { name: 'ton_proof', proof: tonProof(signed) } },
      }),
    'a domain with its length in snake case': (signed) => {
      const { domain, ...proof } = tonProof(signed);
      const { lengthBytes, value } = Object(domain);
      return json({ ...proof, domain: { length_bytes: lengthBytes, value } });
    },
  },
};
