import { pbkdf2Sync } from 'node:crypto';
import { type Address, type Hex, toHex } from 'viem';
import { HDKey, privateKeyToAddress } from 'viem/accounts';

/** An account of the development chain. Its key is public: never send anything of value to it. */
export interface DevAccount {
  address: Address;
  privateKey: Hex;
}

// The mnemonic that development nodes share, so that the same accounts are funded everywhere.
const mnemonic = 'test test test test test test test test test test test junk';

let known: [DevAccount, ...DevAccount[]] | undefined;

/** Returns the twenty accounts with 10,000 ether each from the first block on. */
export function devAccounts(): readonly [DevAccount, ...DevAccount[]] {
  known ??= deriveAccounts();
  return known;
}

function deriveAccounts(): [DevAccount, ...DevAccount[]] {
  // BIP-39 makes this slow on purpose, and each step of the path costs as much as an account, so it is done once for all.
  const root = HDKey.fromMasterSeed(pbkdf2Sync(mnemonic, 'mnemonic', 2_048, 64, 'sha512')).derive("m/44'/60'/0'/0");
  return [devAccount(root, 0), ...Array.from({ length: 19 }, (_, index) => devAccount(root, index + 1))];
}

function devAccount(root: HDKey, addressIndex: number): DevAccount {
  const { privateKey } = root.deriveChild(addressIndex);
  if (privateKey === null) throw new Error('The key of a development account cannot be derived.');
  return { address: privateKeyToAddress(toHex(privateKey)), privateKey: toHex(privateKey) };
}
