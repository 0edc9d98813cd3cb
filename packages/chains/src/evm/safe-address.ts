import type { EvmWallets } from '@latchkey/core/ports';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { addressOfPoint, toChecksumAddress } from './checksum-address.ts';
import { personalSignHash } from './personal-sign.ts';
import { recoverSigner, signRecoverably } from './recover-signer.ts';

// The canonical contracts of Safe 1.4.1. They have these addresses on every chain with Ethereum's CREATE2.
export const safeContracts = {
  proxyFactory: '0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67',
  fallbackHandler: '0xfd0732Dc9E303f09fCEf3a7388Ad10A83459Ec99',
  singleton: '0x29fcB43b46531BcA003ddC8FCB67FFE91900C762',
} as const;
const proxyFactory = parseAddress(safeContracts.proxyFactory);
const fallbackHandler = parseAddress(safeContracts.fallbackHandler);
// keccak256 of the factory's proxyCreationCode(), followed by the address of the SafeL2 singleton as one word.
const proxyInitCodeHash = hexToBytes('e298282cefe913ab5d282047161268a8222e4bd4ed106300c547894bbefd31ee');
// setup(address[],uint256,address,bytes,address,address,uint256,address)
const setupSelector = hexToBytes('b63e800d');

// Chains whose Safe contracts are for the ZKsync VM only: CREATE2 works differently there, and money sent to an address derived by
// Ethereum's rule would be lost.
const foreignCreate2ChainIds: readonly number[] = [50104, 531050104];

const noAddress = new Uint8Array(20);

function word(value: bigint | Uint8Array): Uint8Array {
  return hexToBytes((typeof value === 'bigint' ? value.toString(16) : bytesToHex(value)).padStart(64, '0'));
}

/** Encodes the call that sets up a new proxy as a Safe with one owner, without modules or a payment for the deployment. */
export function encodeSetup(owner: Uint8Array): Uint8Array {
  const ownersOffset = 8n * 32n;
  const dataOffset = ownersOffset + 2n * 32n;
  const words = [ownersOffset, 1n, noAddress, dataOffset, fallbackHandler, noAddress, 0n, noAddress, 1n, owner, 0n];
  return concatBytes(setupSelector, ...words.map(word));
}

export function parseAddress(address: string): Uint8Array {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw new Error('An EVM address is 0x and 40 hexadecimal digits.');
  return hexToBytes(address.slice(2));
}

/** Returns the address that `createProxyWithNonce` of the Safe 1.4.1 factory deploys to (EIP-1014 with the factory's own salt). */
export function safeAddress(owner: string, saltNonce: bigint, chainId: number): string {
  if (foreignCreate2ChainIds.includes(chainId)) {
    throw new Error(
      `Chain ${chainId} does not derive contract addresses as Ethereum does; choose another wallet chain.`,
    );
  }
  if (saltNonce < 0n || saltNonce >= 1n << 256n) throw new Error('A salt nonce is a number of at most 256 bits.');
  const salt = keccak_256(concatBytes(keccak_256(encodeSetup(parseAddress(owner))), word(saltNonce)));
  const preimage = concatBytes(Uint8Array.of(0xff), proxyFactory, salt, proxyInitCodeHash);
  return toChecksumAddress(keccak_256(preimage).subarray(-20));
}

// 128 bits more than the key has, so that reducing them to a valid key leaves no bias (FIPS 186-5, A.2.1).
const keySeedBytes = 48;

export const evmWallets: EvmWallets = {
  createOwnerKey(random) {
    const privateKey = secp256k1.utils.randomSecretKey(random.bytes(keySeedBytes));
    return { privateKey, address: addressOfPoint(secp256k1.getPublicKey(privateKey, false)) };
  },
  safeAddress,
  personalSign: (privateKey, text) => signRecoverably(privateKey, personalSignHash(text)),
  isPersonalSignature: (publicKey, text, signature) =>
    /^0x[0-9a-fA-F]{130}$/.test(signature) &&
    recoverSigner(personalSignHash(text), hexToBytes(signature.slice(2))) ===
      addressOfPoint(hexToBytes(publicKey.slice(2))),
};
