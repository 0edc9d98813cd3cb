/** What a user who signs elsewhere needs to know about a chain. */
export interface ChainWords {
  name: string;
  /** Where and how the message is signed. */
  how: string;
  /** Set if the key cannot be derived from the address. */
  publicKey?: string;
  /** What the signature looks like. */
  signature: string;
}

const chains: Readonly<Record<string, ChainWords>> = {
  evm: {
    name: 'Ethereum and other EVM chains',
    how: 'Sign it as a plain message (personal_sign).',
    signature: '0x and hexadecimal digits',
  },
  solana: { name: 'Solana', how: 'Sign it as a plain message.', signature: 'Base58' },
  tezos: {
    name: 'Tezos',
    how: 'Sign it as a text with the prefix that wallets of Tezos put before texts.',
    publicKey: 'Begins with edpk, sppk or p2pk',
    signature: 'Begins with edsig, spsig, p2sig or sig',
  },
  flow: {
    name: 'Flow',
    how: 'Sign it as a user message.',
    signature: 'The list of composite signatures, as JSON',
  },
  polkadot: {
    name: 'Polkadot and Kusama',
    how: 'Sign it as raw bytes, for example at “Sign and verify” of your wallet.',
    signature: '0x and hexadecimal digits',
  },
  near: {
    name: 'NEAR',
    how: 'Sign it by NEP-413, for the host of this page as recipient and with the SHA-256 of the message as nonce.',
    publicKey: 'Begins with ed25519:',
    signature: 'Base64',
  },
  bitcoin: { name: 'Bitcoin', how: 'Sign it as a message, by BIP-322 or the older way.', signature: 'Base64' },
  xrpl: {
    name: 'XRP Ledger',
    how: 'Sign it with the master key of the account.',
    publicKey: 'Hexadecimal digits; leave it empty for a signed sign-in',
    signature: 'Hexadecimal digits',
  },
  ton: {
    name: 'TON',
    how: 'Give it to your wallet as the payload of a ton_proof.',
    signature: 'The whole proof, as JSON',
  },
};

/** Every kind of chain whose wallets can be linked, if the server supports it. */
export const chainNamespaces: readonly string[] = Object.keys(chains);

export function chainWords(namespace: string): ChainWords {
  return chains[namespace] ?? { name: namespace, how: 'Sign it as a message.', signature: 'As your wallet shows it' };
}

// SS58 with Kusama's prefix and 32 bytes. Polkadot addresses begin with 1, generic ones with 5.
const kusamaAddress = /^[C-HJ][1-9A-HJ-NP-Za-km-z]{46}$/;

/** Returns the account id of an address on the main chain of its kind. The server validates it. */
export function accountIdOf(namespace: string, address: string): string {
  const isKusama = namespace === 'polkadot' && kusamaAddress.test(address);
  return `${namespace}:${isKusama ? 'kusama' : 'mainnet'}:${address}`;
}
