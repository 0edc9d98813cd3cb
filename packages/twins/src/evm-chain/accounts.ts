import { type Address, type Hex, toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';

/** An account of the development chain. Everybody knows its key: nothing of worth may ever be sent to it. */
export interface DevAccount {
  address: Address;
  privateKey: Hex;
}

// The words that development nodes agree on, so that the same accounts are rich everywhere.
const mnemonic = 'test test test test test test test test test test test junk';

/** The twenty accounts that have 10,000 ether each from the first block on. */
export function devAccounts(): [DevAccount, ...DevAccount[]] {
  return [devAccount(0), ...Array.from({ length: 19 }, (_, index) => devAccount(index + 1))];
}

function devAccount(addressIndex: number): DevAccount {
  const account = mnemonicToAccount(mnemonic, { addressIndex });
  const { privateKey } = account.getHdKey();
  if (privateKey === null) throw new Error('The key of a development account cannot be derived.');
  return { address: account.address, privateKey: toHex(privateKey) };
}
