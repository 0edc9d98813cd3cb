import { type Address, type Hex, keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/** A member of the sample guild, with a wallet on the development chain. */
export interface SampleMember {
  /** The id on Discord. */
  userId: string;
  name: string;
  address: Address;
  /** Anyone can derive this key: never send anything of value to it. */
  privateKey: Hex;
  /** Signs as a wallet's personal_sign does. */
  sign(message: string): Promise<Hex>;
}

/** Returns the same members on every start. */
export function sampleMembers(count: number): SampleMember[] {
  return Array.from({ length: count }, (_, index) => sampleMember(index + 1));
}

export function sampleMember(number: number): SampleMember {
  const name = `member-${String(number).padStart(2, '0')}`;
  const privateKey = keccak256(toHex(`sample wallet of ${name}`));
  const account = privateKeyToAccount(privateKey);
  return {
    userId: String(200_000_000_000_000_000n + BigInt(number)),
    name,
    address: account.address,
    privateKey,
    sign: (message) => account.signMessage({ message }),
  };
}
