import type { ProofVerdict, WalletNamespace, WalletProof } from '@latchkey/core/ports';
import { hexToBytes } from '@noble/hashes/utils.js';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import { normalizeEvmAddress } from './address.ts';
import type { ContractAnswer } from './ask-contract.ts';
import { personalSignHash } from './personal-sign.ts';
import { expandCompactSignature, recoverSigner } from './recover-signer.ts';
import { findFaultyField, type SiweFields, schemePattern } from './siwe.ts';

export interface EvmWalletsOptions {
  /** Returns the JSON-RPC URLs of a chain, best first. Without any, only accounts with a key can be verified. */
  rpcUrlsOf(chain: string): readonly string[];
  fetch: typeof globalThis.fetch;
  /** The total time that one node may take for all requests of a proof. */
  timeoutMs: number;
  /** Whether accounts may sign in 64 bytes (EIP-2098), a second encoding of the same signature. */
  acceptCompactSignatures?: boolean | undefined;
}

function verdictOf(answer: ContractAnswer, address: string, chain: string): ProofVerdict {
  switch (answer) {
    case 'accepted':
      return { kind: 'valid', address, contractChain: chain };
    case 'refused':
      return { kind: 'invalid', reason: 'The contract at this address rejected the signature.' };
    case 'no-contract':
      return { kind: 'invalid', reason: 'This address did not sign, and it is not a contract.' };
    case 'unreachable':
      return {
        kind: 'unknown',
        reason: 'No node for this chain responded, so a contract wallet’s signature could not be verified.',
      };
  }
}

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}` as const;

/** Creates wallets of every EVM chain: accounts with a key, and contracts that verify signatures themselves. */
export function createEvmWallets(options: EvmWalletsOptions): WalletNamespace {
  const { rpcUrlsOf, acceptCompactSignatures = false, ...rpcOptions } = options;

  function isSignedByKey({ scheme, hash, signature, address }: ReadProof): boolean {
    if (scheme === 'safe') return false;
    const isCompact = acceptCompactSignatures && signature.length === 64;
    return recoverSigner(hash, isCompact ? expandCompactSignature(signature) : signature) === address;
  }

  async function askContractWallet(proof: ReadProof, signal: AbortSignal | undefined): Promise<ProofVerdict> {
    const { chain, address, hash, signature } = proof;
    const urls = rpcUrlsOf(chain);
    if (urls.length === 0) {
      const reason =
        'This address did not sign, and a contract wallet cannot be verified: this server does not read that chain.';
      return { kind: 'invalid', reason };
    }
    const { askContract } = await import('./ask-contract.ts');
    const question = { chain, address: `0x${address.slice(2)}`, hash: hex(hash), signature: hex(signature) } as const;
    return verdictOf(await askContract(question, urls, { ...rpcOptions, signal }), address, chain);
  }

  return {
    namespace: 'evm',
    normalizeAddress: (address) => normalizeEvmAddress(address),
    async verify(proof, signal) {
      const read = await readProof(proof);
      if (read.kind === 'invalid') return read;
      await yieldToEventLoop();
      if (isSignedByKey(read)) return { kind: 'valid', address: read.address };
      if (proof.details?.keyOnly === true)
        return { kind: 'invalid', reason: 'Only the key of the address itself may sign this.' };
      return askContractWallet(read, signal);
    },
  };
}

/** `safe` leaves verification to the contract alone, and accepts what it has approved on-chain without a signature. */
const schemes = ['eip191', 'eip712', 'safe'] as const;

/** A proof whose parts are well-formed, but not verified yet. */
interface ReadProof {
  kind: 'read';
  scheme: (typeof schemes)[number];
  chain: string;
  address: string;
  hash: Uint8Array;
  signature: Uint8Array;
}

type Malformed = { kind: 'invalid'; reason: string };

const malformed = (reason: string): Malformed => ({ kind: 'invalid', reason });

// viem takes a third of a second to load, and accounts that use personal_sign do not need it.
async function hashTypedMessage({ message, chain, details }: WalletProof): Promise<Uint8Array | undefined> {
  const { parseTypedData, typedDataHash } = await import('./typed-data.ts');
  const hash = typedDataHash(parseTypedData(message), chain);
  if (hash === undefined || details?.typedData === undefined) return hash;
  // The text that the wallet reports as signed must repeat what the server requested.
  const report = typedDataHash(details.typedData, chain);
  return report !== undefined && Buffer.from(hash).equals(report) ? hash : undefined;
}

/**
 * A sign-in message names its account and chain. A contract is called on the chain of the proof, so that chain must be the signed one: on
 * another chain, the contract at the same address can have another owner.
 */
function contradictsMessage({ message, chain }: WalletProof, address: string): boolean {
  if (!message.includes(' wants you to sign in with your Ethereum account:')) return false;
  const fields = parseSiweMessage(message);
  return fields?.address !== address || String(fields.chainId) !== chain;
}

async function readProof(proof: WalletProof): Promise<ReadProof | Malformed> {
  const { chain, message } = proof;
  const address = normalizeEvmAddress(proof.address);
  if (address === undefined) return malformed('The address is not an EVM address, or its checksum is wrong.');
  if (typeof chain !== 'string' || !/^[1-9][0-9]{0,31}$/.test(chain)) {
    return malformed('The chain is not a valid EVM chain id.');
  }
  // Lone surrogates have no UTF-8 encoding, so several such strings would share one hash.
  if (typeof message !== 'string' || !message.isWellFormed()) return malformed('The message is not a string.');
  const scheme = schemes.find((known) => known === (proof.details?.scheme ?? 'eip191'));
  if (scheme === undefined) return malformed('The signing method must be eip191, eip712 or safe.');
  const signature = readSignature(proof.signature);
  if (signature === undefined) return malformed('The signature is not hexadecimal.');
  if (signature.length === 0 && scheme !== 'safe') return malformed('The signature is empty.');
  if (contradictsMessage(proof, address)) return malformed('The message is for another address or chain.');
  const hash = scheme === 'eip712' ? await hashTypedMessage(proof) : personalSignHash(message);
  if (hash === undefined) return malformed('The message is not typed data for this chain.');
  return { kind: 'read', scheme, chain, address, hash, signature };
}

// Contract wallets use signatures of any form: several signatures in one, passkeys, their own deployment.
const maxSignatureBytes = 32 * 1024;

const hexText = /^0x(?:[0-9a-fA-F]{2})*$/;

function readHex(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string' || text.length > 2 + 2 * maxSignatureBytes || !hexText.test(text)) return undefined;
  return hexToBytes(text.slice(2));
}

/** Venly returns the signature and its parts. Parts that do not match the whole are a forgery. */
function readVenly(answer: object): Uint8Array | undefined {
  if (!('type' in answer && 'signature' in answer && 'r' in answer && 's' in answer && 'v' in answer)) return undefined;
  const { type, signature, r, s, v } = answer;
  if (type !== 'HEX_SIGNATURE' || typeof signature !== 'string') return undefined;
  const parts = [r, s, v].map((part) => (typeof part === 'string' ? part.replace(/^0x/, '') : '?'));
  return `0x${parts.join('')}`.toLowerCase() === signature.toLowerCase() ? readHex(signature) : undefined;
}

/** Decodes a wallet's signature: hexadecimal text with `0x`, or the object that Venly wallets return. */
export function readSignature(signature: unknown): Uint8Array | undefined {
  return typeof signature === 'object' && signature !== null ? readVenly(signature) : readHex(signature);
}

const greeting = ' wants you to sign in with your Ethereum account:';

// One line for each field in the order of EIP-4361. The values are checked afterwards.
const layout = new RegExp(
  [
    `^(?:(?<scheme>${schemePattern})://)?(?<domain>[^ \\n]+)${greeting}`,
    '(?<address>[^\\n]+)',
    '(?:\\n(?<statement>[^\\n]+))?',
    '',
    'URI: (?<uri>[^\\n]+)',
    'Version: (?<version>[^\\n]+)',
    'Chain ID: (?<chainId>[1-9][0-9]*)',
    'Nonce: (?<nonce>[^\\n]+)',
    'Issued At: (?<issuedAt>[^\\n]+)' +
      '(?:\\nExpiration Time: (?<expirationTime>[^\\n]+))?' +
      '(?:\\nNot Before: (?<notBefore>[^\\n]+))?' +
      '(?:\\nRequest ID: (?<requestId>[^\\n]*))?' +
      '(?:\\nResources:(?<resources>(?:\\n- [^\\n]+)*))?$',
  ].join('\\n'),
);

function areSiweFields(fields: Readonly<Record<string, unknown>>): fields is Record<string, unknown> & SiweFields {
  return findFaultyField(fields) === undefined;
}

/** Parses a Sign-In with Ethereum message. Returns undefined for text that does not follow EIP-4361 exactly. */
export function parseSiweMessage(text: string): SiweFields | undefined {
  const groups = layout.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const present = Object.entries(groups).filter(([, value]) => value !== undefined);
  const fields: Record<string, unknown> = { ...Object.fromEntries(present), chainId: Number(groups.chainId) };
  if (groups.resources !== undefined) fields.resources = groups.resources.split('\n- ').slice(1);
  return areSiweFields(fields) ? fields : undefined;
}

/** Formats a Sign-In with Ethereum message (EIP-4361). Throws if the value of a field is not allowed. */
export function writeSiweMessage(fields: SiweFields): string {
  const faulty = findFaultyField({ ...fields });
  if (faulty !== undefined) throw new Error(`The field ${faulty} of a sign-in message is missing or malformed.`);
  const line = (label: string, value: string | undefined) => (value === undefined ? [] : [`${label}: ${value}`]);
  return [
    `${fields.scheme === undefined ? '' : `${fields.scheme}://`}${fields.domain}${greeting}`,
    fields.address,
    '',
    ...(fields.statement === undefined ? [] : [fields.statement]),
    '',
    `URI: ${fields.uri}`,
    `Version: ${fields.version}`,
    `Chain ID: ${fields.chainId}`,
    `Nonce: ${fields.nonce}`,
    `Issued At: ${fields.issuedAt}`,
    ...line('Expiration Time', fields.expirationTime),
    ...line('Not Before', fields.notBefore),
    ...line('Request ID', fields.requestId),
    ...(fields.resources === undefined ? [] : ['Resources:', ...fields.resources.map((uri) => `- ${uri}`)]),
  ].join('\n');
}
