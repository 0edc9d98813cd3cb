import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { blake2b } from '@noble/hashes/blake2.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { sha3_256 } from '@noble/hashes/sha3.js';
import { base58, createBase58check } from '@scure/base';
import { p2wpkh } from '@scure/btc-signer';
import * as sr25519 from '@scure/sr25519';
import { deriveAddress, deriveKeypair, generateSeed, sign as signXrpl } from 'ripple-keypairs';
import { privateKeyToAccount } from 'viem/accounts';

/** The fields that a wallet sends for a message, besides its address. */
export interface SignedFields {
  signature?: string | Record<string, unknown>[];
  didToken?: string;
  publicKey?: string;
  public_key?: string;
}

/** A test wallet with its own key, derived from a number. */
export interface TestWallet {
  address: string;
  sign(message: string, site: { host: string; nowSeconds: number }): SignedFields | Promise<SignedFields>;
}

const seedOf = (n: number) => createHash('sha256').update(`wallet ${n}`).digest();
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const utf8 = (text: string) => Buffer.from(text, 'utf8');

function littleEndian(value: bigint, bytes: 4 | 8): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(value);
  return buffer.subarray(0, bytes);
}

const borsh = (text: string) => Buffer.concat([littleEndian(BigInt(utf8(text).length), 4), utf8(text)]);

function evm(n: number): TestWallet {
  const account = privateKeyToAccount(`0x${hex(seedOf(n))}`);
  return { address: account.address, sign: async (message) => ({ signature: await account.signMessage({ message }) }) };
}

function magic(n: number): TestWallet {
  const account = privateKeyToAccount(`0x${hex(seedOf(n))}`);
  return {
    address: account.address,
    sign: async (message, { nowSeconds: iat }) => {
      const claim = JSON.stringify({
        iat,
        ext: iat + 900,
        nbf: iat,
        iss: `did:ethr:${account.address}`,
        sub: 's',
        aud: 'app',
        tid: `t${n}`,
        add: await account.signMessage({ message }),
      });
      const proof = await account.signMessage({ message: claim });
      return { didToken: base64(utf8(JSON.stringify([proof, claim]))) };
    },
  };
}

function solana(n: number): TestWallet {
  const address = base58.encode(ed25519.getPublicKey(seedOf(n)));
  return { address, sign: (message) => ({ signature: base58.encode(ed25519.sign(utf8(message), seedOf(n))) }) };
}

function tezos(n: number): TestWallet {
  const encode = (prefix: number[], bytes: Uint8Array) =>
    createBase58check(sha256).encode(Uint8Array.of(...prefix, ...bytes));
  const key = ed25519.getPublicKey(seedOf(n));
  return {
    address: encode([6, 161, 159], blake2b(key, { dkLen: 20 })),
    sign: (message) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(utf8(message).length);
      const payload = Buffer.concat([Buffer.of(5, 1), length, utf8(message)]);
      const signature = ed25519.sign(blake2b(payload, { dkLen: 32 }), seedOf(n));
      return { publicKey: encode([13, 15, 37, 217], key), signature: encode([9, 245, 205, 134, 18], signature) };
    },
  };
}

/** Returns the same account with another network's prefix. */
export function ss58(address: string, prefix: number): string {
  return encodeSs58(prefix, base58.decode(address).subarray(1, 33));
}

function encodeSs58(prefix: number, key: Uint8Array): string {
  const body = Buffer.concat([Buffer.of(prefix), key]);
  const checksum = blake2b(Buffer.concat([utf8('SS58PRE'), body])).subarray(0, 2);
  return base58.encode(Buffer.concat([body, checksum]));
}

function polkadot(n: number): TestWallet {
  const secret = sr25519.secretFromSeed(seedOf(n));
  return {
    address: encodeSs58(42, sr25519.getPublicKey(secret)),
    sign: (message) => ({ signature: `0x${hex(sr25519.sign(secret, utf8(`<Bytes>${message}</Bytes>`)))}` }),
  };
}

/** Flow assigns account numbers on chain; this one exists on mainnet. */
export const flowAddress = '0xe467b9dd11fa00df';

export function flowPublicKey(n: number): string {
  return hex(p256.getPublicKey(seedOf(n), false)).slice(2);
}

function flow(n: number): TestWallet {
  return {
    address: flowAddress,
    sign: (message) => {
      const tag = Buffer.concat([utf8('FLOW-V0.0-user'), Buffer.alloc(18)]);
      const signature = p256.sign(sha3_256(Buffer.concat([tag, utf8(message)])), seedOf(n), { prehash: false });
      return {
        signature: [
          { f_type: 'CompositeSignature', f_vsn: '1.0.0', addr: flowAddress, keyId: 0, signature: hex(signature) },
        ],
      };
    },
  };
}

export function nearPublicKey(n: number): string {
  return `ed25519:${base58.encode(ed25519.getPublicKey(seedOf(n)))}`;
}

function near(n: number): TestWallet {
  const key = ed25519.getPublicKey(seedOf(n));
  return {
    address: hex(key),
    sign: (message, { host }) => {
      const tag = littleEndian(2n ** 31n + 413n, 4);
      const payload = Buffer.concat([tag, borsh(message), sha256(utf8(message)), borsh(host), Buffer.of(0)]);
      return {
        public_key: nearPublicKey(n),
        signature: base64(ed25519.sign(sha256(payload), seedOf(n))),
      };
    },
  };
}

function bitcoin(n: number): TestWallet {
  const { address = '' } = p2wpkh(secp256k1.getPublicKey(seedOf(n), true));
  return {
    address,
    sign: (message) => {
      const bytes = utf8(message);
      const length =
        bytes.length < 253 ? Buffer.of(bytes.length) : Buffer.of(253, bytes.length & 255, bytes.length >> 8);
      const hash = sha256(sha256(Buffer.concat([utf8('\x18Bitcoin Signed Message:\n'), length, bytes])));
      const signed = secp256k1.sign(hash, seedOf(n), { prehash: false, format: 'recovered' });
      return { signature: base64(Buffer.concat([Buffer.of(39 + (signed[0] ?? 0)), signed.subarray(1)])) };
    },
  };
}

function xrpl(n: number): TestWallet {
  const { publicKey, privateKey } = deriveKeypair(generateSeed({ entropy: seedOf(n).subarray(0, 16) }));
  return {
    address: deriveAddress(publicKey),
    sign: (message) => ({ publicKey, signature: signXrpl(hex(utf8(message)), privateKey) }),
  };
}

export function tonPublicKey(n: number): string {
  return `0x${hex(ed25519.getPublicKey(seedOf(n)))}`;
}

/**
 * Encodes a user-friendly TON address: a tag (not bounceable), the workchain, the account and a checksum
 * (CRC-16/XMODEM).
 */
export function friendlyTon(address: string): string {
  const body = Buffer.concat([Buffer.of(0x51, 0), Buffer.from(address.slice(2), 'hex')]);
  let checksum = 0;
  for (const byte of body) {
    checksum ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) checksum = (checksum << 1) ^ (checksum & 0x8000 ? 0x1021 : 0);
  }
  return Buffer.concat([body, Buffer.of((checksum >> 8) & 255, checksum & 255)]).toString('base64url');
}

function ton(n: number): TestWallet {
  const account = sha256(seedOf(n));
  return {
    address: `0:${hex(account)}`,
    sign: (message, { host, nowSeconds }) => {
      const domain = { lengthBytes: utf8(host).length, value: host };
      const item = Buffer.concat([
        utf8('ton-proof-item-v2/'),
        Buffer.alloc(4),
        account,
        littleEndian(BigInt(domain.lengthBytes), 4),
        utf8(host),
        littleEndian(BigInt(nowSeconds), 8),
        utf8(message),
      ]);
      const hash = sha256(Buffer.concat([Buffer.of(255, 255), utf8('ton-connect'), sha256(item)]));
      const signature = base64(ed25519.sign(hash, seedOf(n)));
      return { signature: JSON.stringify({ timestamp: nowSeconds, domain, signature }) };
    },
  };
}

/** One wallet factory per namespace. Each signs as real wallets do. */
export const testWallets = { evm, magic, solana, tezos, polkadot, flow, near, bitcoin, xrpl, ton } as const;
