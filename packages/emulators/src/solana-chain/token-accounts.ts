import { type EncodedAccount, getBase58Decoder } from '@solana/kit';
import type { Ledger } from './ledger.ts';

/** A token account as jsonParsed shows it. */
export interface ParsedTokenAccount {
  mint: string;
  owner: string;
  state: string;
  isNative: boolean;
  tokenAmount: { amount: string; decimals: number; uiAmount: number; uiAmountString: string };
}

const tokenAccountLength = 165;
const mintLength = 82;

/** Reads a token account of SPL Token or Token-2022, whose first part is the same; undefined for mints and others. */
export function parseTokenAccount({ data }: EncodedAccount, ledger: Ledger): ParsedTokenAccount | undefined {
  // Token-2022 marks what an account with extensions is behind the first 165 bytes: 2 is a token account.
  const isTokenAccount = data.length === tokenAccountLength || data[tokenAccountLength] === 2;
  if (data.length < tokenAccountLength || !isTokenAccount) return undefined;
  const bytes = new Uint8Array(data);
  const view = new DataView(bytes.buffer);
  const mint = getBase58Decoder().decode(bytes.subarray(0, 32));
  const amount = view.getBigUint64(64, true);
  const decimals = decimalsOf(mint, ledger);
  const uiAmount = Number(amount) / 10 ** decimals;
  return {
    mint,
    owner: getBase58Decoder().decode(bytes.subarray(32, 64)),
    state: ['uninitialized', 'initialized', 'frozen'][bytes[108] ?? 0] ?? 'uninitialized',
    isNative: view.getUint32(109, true) === 1,
    tokenAmount: { amount: amount.toString(), decimals, uiAmount, uiAmountString: String(uiAmount) },
  };
}

function decimalsOf(mint: string, ledger: Ledger): number {
  const account = ledger.findAccount(mint);
  return account !== undefined && account.data.length >= mintLength ? (account.data[44] ?? 0) : 0;
}
