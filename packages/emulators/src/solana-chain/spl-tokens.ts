import {
  type Address,
  address,
  type EncodedAccount,
  getAddressEncoder,
  getProgramDerivedAddress,
  lamports,
} from '@solana/kit';

export const tokenProgram = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
export const token2022Program = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
const associatedTokenProgram = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');

export type TokenProgram = 'spl-token' | 'token-2022';

export interface MintState {
  mint: string;
  decimals: number;
  supply?: bigint;
  program?: TokenProgram;
}

export interface BalanceState {
  mint: string;
  owner: string;
  /** In the smallest unit. */
  amount: bigint;
  program?: TokenProgram;
  /** Defaults to the associated token account. */
  account?: string;
}

/** Returns a mint whose authority was removed. */
export function mintAccount({ mint, decimals, supply = 0n, program = 'spl-token' }: MintState): EncodedAccount {
  const data = new Uint8Array(82);
  const view = new DataView(data.buffer);
  view.setBigUint64(36, supply, true);
  view.setUint8(44, decimals);
  view.setUint8(45, 1);
  return tokenAccount(address(mint), data, program);
}

/** The token account of an owner. */
export async function balanceAccount(balance: BalanceState): Promise<EncodedAccount> {
  const { mint, owner, amount, program = 'spl-token', account } = balance;
  const data = new Uint8Array(165);
  data.set(getAddressEncoder().encode(address(mint)), 0);
  data.set(getAddressEncoder().encode(address(owner)), 32);
  const view = new DataView(data.buffer);
  view.setBigUint64(64, amount, true);
  view.setUint8(108, 1);
  const at = account === undefined ? await associatedAddress(owner, mint, program) : address(account);
  return tokenAccount(at, data, program);
}

async function associatedAddress(owner: string, mint: string, program: TokenProgram): Promise<Address> {
  const seeds = [address(owner), addressOf(program), address(mint)].map((key) => getAddressEncoder().encode(key));
  const [found] = await getProgramDerivedAddress({ programAddress: associatedTokenProgram, seeds });
  return found;
}

function tokenAccount(at: Address, data: Uint8Array, program: TokenProgram): EncodedAccount {
  const programAddress = addressOf(program);
  const rent = lamports(10_000_000n);
  return { address: at, data, executable: false, lamports: rent, programAddress, space: BigInt(data.length) };
}

function addressOf(program: TokenProgram): Address {
  return program === 'spl-token' ? tokenProgram : token2022Program;
}
