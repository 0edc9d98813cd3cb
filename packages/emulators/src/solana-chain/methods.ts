import { type Address, type EncodedAccount, getBase58Encoder, getBase64Encoder, isAddress } from '@solana/kit';
import type { DigitalAsset } from './digital-assets.ts';
import { pageOfAssets } from './digital-assets.ts';
import type { Ledger, Sent } from './ledger.ts';
import { RpcError } from './rpc-error.ts';
import { token2022Program, tokenProgram } from './spl-tokens.ts';
import { parseTokenAccount } from './token-accounts.ts';
import { type AccountForm, writeAccount } from './write-account.ts';

export interface ChainState {
  ledger: Ledger;
  genesisHash: string;
  /** What the index of digital assets knows. */
  assets: DigitalAsset[];
}

type Method = (params: readonly unknown[], state: ChainState) => unknown;

const tokenPrograms: readonly Address[] = [tokenProgram, token2022Program];
const maxAccounts = 100;

/** The methods of a node that the emulator answers, and `getAssetsByOwner` of an index. */
export const methods: Readonly<Record<string, Method>> = {
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': '2.2.0', 'feature-set': 0 }),
  getGenesisHash: (_params, { genesisHash }) => genesisHash,
  getSlot: ([config], { ledger }) => slotFor(config, ledger),
  getBlockHeight: ([config], { ledger }) => slotFor(config, ledger),
  getLatestBlockhash: ([config], { ledger }) => inContext(config, ledger, ledger.latestBlockhash),
  getMinimumBalanceForRentExemption: ([bytes], { ledger }) => ledger.rentOf(Number(bytes)),
  getBalance: ([key, config], { ledger }) =>
    inContext(config, ledger, Number(ledger.findAccount(keyOf(key))?.lamports ?? 0n)),
  getAccountInfo: ([key, config], { ledger }) => {
    const account = ledger.findAccount(keyOf(key));
    return inContext(config, ledger, account ? show(account, config, ledger) : null);
  },
  getMultipleAccounts: ([keys, config], { ledger }) => {
    const list = Array.isArray(keys) ? keys.map(keyOf) : [];
    if (list.length > maxAccounts) throw new RpcError(-32602, `Too many inputs provided; max ${maxAccounts}`);
    const accounts = list.map((key) => ledger.findAccount(key));
    return inContext(
      config,
      ledger,
      accounts.map((account) => (account ? show(account, config, ledger) : null)),
    );
  },
  getTokenAccountsByOwner: ([owner, filter, config], { ledger }) => {
    const { mint, programId } = fields(filter);
    const rows = tokenPrograms
      .filter((program) => programId === undefined || program === keyOf(programId))
      .flatMap((program) => ledger.accountsOf(program))
      .filter((account) => isHeld(account, keyOf(owner), mint, ledger))
      .map((account) => ({ pubkey: account.address, account: show(account, config, ledger) }));
    return inContext(config, ledger, rows);
  },
  getTokenAccountBalance: ([key, config], { ledger }) => {
    const account = ledger.findAccount(keyOf(key));
    const token = account && parseTokenAccount(account, ledger);
    if (token === undefined) throw new RpcError(-32602, 'Invalid param: could not find account');
    return inContext(config, ledger, token.tokenAmount);
  },
  requestAirdrop: ([key, lamports], { ledger }) => signatureOf(ledger.airdrop(keyOf(key), BigInt(Number(lamports)))),
  sendTransaction: ([text, config], { ledger }) => signatureOf(ledger.send(decodeTransaction(text, config))),
  getSignatureStatuses: ([signatures], { ledger }) => {
    const list = Array.isArray(signatures) ? signatures.map(String) : [];
    return inContext(
      undefined,
      ledger,
      list.map((signature) => statusOf(signature, ledger)),
    );
  },
  getAssetsByOwner: (params, { assets, ledger }) => pageOfAssets(params, assets, ledger.slot),
};

function slotFor(config: unknown, ledger: Ledger): number {
  const { minContextSlot } = fields(config);
  if (typeof minContextSlot === 'number' && minContextSlot > ledger.slot) {
    throw new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot: ledger.slot });
  }
  return ledger.slot;
}

function inContext(config: unknown, ledger: Ledger, value: unknown) {
  return { context: { apiVersion: '2.2.0', slot: slotFor(config, ledger) }, value };
}

function show(account: EncodedAccount, config: unknown, ledger: Ledger) {
  const isToken = tokenPrograms.includes(account.programAddress);
  const info = isToken ? parseTokenAccount(account, ledger) : undefined;
  const program = account.programAddress === tokenProgram ? 'spl-token' : 'spl-token-2022';
  const parsed = info && { program, parsed: { info, type: 'account' }, space: account.data.length };
  return writeAccount(account, formOf(config), parsed);
}

function isHeld(account: EncodedAccount, owner: string, mint: unknown, ledger: Ledger): boolean {
  const token = parseTokenAccount(account, ledger);
  return token !== undefined && token.owner === owner && (mint === undefined || token.mint === mint);
}

function signatureOf(sent: Sent): string {
  if ('signature' in sent) return sent.signature;
  const { error: err, logs } = sent;
  throw new RpcError(-32002, `Transaction simulation failed: ${JSON.stringify(err)}`, { err, logs, accounts: null });
}

function statusOf(signature: string, ledger: Ledger) {
  const status = ledger.statusOf(signature);
  if (status === undefined) return null;
  const { slot, err } = status;
  return {
    slot,
    err,
    confirmations: null,
    confirmationStatus: 'finalized',
    status: err === null ? { Ok: null } : { Err: err },
  };
}

function decodeTransaction(text: unknown, config: unknown): Uint8Array {
  const { encoding = 'base58' } = fields(config);
  try {
    const bytes = (encoding === 'base64' ? getBase64Encoder() : getBase58Encoder()).encode(String(text));
    return new Uint8Array(bytes);
  } catch {
    throw new RpcError(-32602, `invalid ${String(encoding)} encoding`);
  }
}

function formOf(config: unknown): AccountForm {
  const { encoding, dataSlice } = fields(config);
  const { offset, length } = fields(dataSlice);
  const slice = typeof offset === 'number' && typeof length === 'number' ? { dataSlice: { offset, length } } : {};
  return { ...(encoding !== undefined && { encoding }), ...slice };
}

function keyOf(value: unknown): string {
  if (typeof value !== 'string' || !isAddress(value)) throw new RpcError(-32602, 'Invalid param: Invalid');
  return value;
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
