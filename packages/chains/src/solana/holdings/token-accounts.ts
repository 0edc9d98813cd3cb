import { Malformed } from '@latchkey/adapter-kit';
import { token2022Program, tokenProgram } from './program-addresses.ts';
import { ByteReader } from './read-bytes.ts';
import type { Account } from './rpc.ts';

export interface TokenAccount {
  mint: string;
  owner: string;
  /** In the smallest unit of the mint. */
  amount: bigint;
}

export interface Mint {
  program: string;
  decimals: number;
}

/** So many bytes of a token account, and of a mint, are the same in both programs and are all that is read. */
export const tokenAccountLength = 109;
export const mintLength = 46;

const tokenPrograms: readonly string[] = [tokenProgram, token2022Program];

/** Reads a token account; undefined for an account that holds no tokens, or none yet. */
export function readTokenAccount({ program, data }: Account): TokenAccount | undefined {
  if (!tokenPrograms.includes(program) || data.length < tokenAccountLength) return undefined;
  const reader = new ByteReader(data);
  const account = { mint: reader.address(), owner: reader.address(), amount: reader.u64() };
  const delegateLength = 36;
  const state = reader.skip(delegateLength).u8();
  // 1 is in use, 2 is frozen, which programmable collectibles always are.
  return state === 1 || state === 2 ? account : undefined;
}

export function readMint({ program, data }: Account): Mint {
  if (!tokenPrograms.includes(program)) throw new Malformed('the mint belongs to no token program');
  const authorityAndSupplyLength = 44;
  const reader = new ByteReader(data).skip(authorityAndSupplyLength);
  const decimals = reader.u8();
  if (!reader.bool()) throw new Malformed('the mint was never set up');
  return { program, decimals };
}
