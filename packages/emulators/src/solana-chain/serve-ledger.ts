import {
  type Address,
  address,
  type EncodedAccount,
  getBase58Decoder,
  getBase58Encoder,
  getBase64Decoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  isAddress,
  lamports,
} from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { type EmulatorReply, type EmulatorRequest, startHttpEmulator } from '../http-emulator/index.ts';
import type { SolanaChain, SolanaChainOptions } from './chain.ts';
import { type DigitalAsset, pageOfAssets } from './digital-assets.ts';
import { masterEditionAccount, metadataAccount, printAccount } from './metaplex.ts';
import { RpcError } from './rpc-error.ts';
import { balanceAccount, mintAccount, token2022Program, tokenProgram } from './spl-tokens.ts';

interface SignatureStatus {
  slot: number;
  err: TransactionError | null;
}

type Sent = { signature: string } | { error: TransactionError; logs: readonly string[] };

// Nodes accept transactions that refer to one of this many newest blocks.
const maxBlockhashAge = 150;

/** A ledger in memory on Solana's VM. Each accepted transaction produces its own slot. */
class Ledger {
  readonly #svm = new LiteSVM().withBlockhashCheck(false);
  readonly #statuses = new Map<string, SignatureStatus>();
  #blockhashes: string[] = [];

  constructor() {
    this.#svm.warpToSlot(1n);
    this.#blockhashes = [this.#svm.latestBlockhash()];
  }

  get slot(): number {
    return Number(this.#svm.getClock().slot);
  }

  /** The newest block, and the last slot in which transactions may refer to it. */
  get latestBlockhash(): { blockhash: string; lastValidBlockHeight: number } {
    return { blockhash: this.#svm.latestBlockhash(), lastValidBlockHeight: this.slot + maxBlockhashAge };
  }

  findAccount(key: string): EncodedAccount | undefined {
    const account = this.#svm.getAccount(address(key));
    return account.exists && account.lamports > 0n ? account : undefined;
  }

  accountsOf(program: Address): readonly EncodedAccount[] {
    return this.#svm.getProgramAccounts(program);
  }

  statusOf(signature: string): SignatureStatus | undefined {
    return this.#statuses.get(signature);
  }

  rentOf(bytes: number): number {
    return Number(this.#svm.minimumBalanceForRentExemption(BigInt(bytes)));
  }

  /** Writes an account directly, bypassing programs, for accounts that no program of the VM can create. */
  putAccount(account: EncodedAccount): void {
    this.#svm.setAccount(account);
    this.nextSlot();
  }

  airdrop(to: string, amount: bigint): Sent {
    return this.#record(() => this.#svm.airdrop(address(to), lamports(amount)));
  }

  send(bytes: Uint8Array): Sent {
    const transaction = getTransactionDecoder().decode(bytes);
    const { lifetimeToken } = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    if (!this.#blockhashes.includes(lifetimeToken)) return { error: 'BlockhashNotFound', logs: [] };
    return this.#record(() => this.#svm.sendTransaction(transaction));
  }

  nextSlot(): void {
    this.#svm.warpToSlot(BigInt(this.slot) + 1n);
    this.#svm.expireBlockhash();
    this.#blockhashes = [this.#svm.latestBlockhash(), ...this.#blockhashes].slice(0, maxBlockhashAge);
  }

  #record(run: () => ReturnType<LiteSVM['airdrop']>): Sent {
    const result = run();
    if (result === null) return { error: 'SanitizeFailure', logs: [] };
    if (result instanceof FailedTransactionMetadata) {
      return { error: readTransactionError(result), logs: result.meta().logs() };
    }
    const signature = getBase58Decoder().decode(result.signature());
    this.nextSlot();
    this.#statuses.set(signature, { slot: this.slot, err: null });
    return { signature };
  }
}

// By their numbers in the VM, with the names that nodes use.
const transactionErrors =
  'AccountInUse AccountLoadedTwice AccountNotFound ProgramAccountNotFound InsufficientFundsForFee InvalidAccountForFee AlreadyProcessed BlockhashNotFound CallChainTooDeep MissingSignatureForFee InvalidAccountIndex SignatureFailure InvalidProgramForExecution SanitizeFailure'.split(
    ' ',
  );
const instructionErrors =
  'GenericError InvalidArgument InvalidInstructionData InvalidAccountData AccountDataTooSmall InsufficientFunds IncorrectProgramId MissingRequiredSignature AccountAlreadyInitialized UninitializedAccount UnbalancedInstruction ModifiedProgramId ExternalAccountLamportSpend ExternalAccountDataModified ReadonlyLamportChange ReadonlyDataModified DuplicateAccountIndex ExecutableModified RentEpochModified NotEnoughAccountKeys'.split(
    ' ',
  );

/** Why a transaction failed, in the format of nodes. */
type TransactionError = string | { InstructionError: [index: number, error: string | { Custom: number }] };

function readTransactionError(failed: FailedTransactionMetadata): TransactionError {
  const error = failed.err();
  if (typeof error === 'number') return transactionErrors[error] ?? 'SanitizeFailure';
  if (!('err' in error)) return 'InsufficientFundsForRent';
  const inner = error.err();
  if (typeof inner === 'number') return { InstructionError: [error.index, instructionErrors[inner] ?? 'GenericError'] };
  return { InstructionError: [error.index, 'code' in inner ? { Custom: inner.code } : 'BorshIoError'] };
}

const mainnetGenesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

/** Serves a new ledger over the RPC of a node. */
export async function serveLedger(options: SolanaChainOptions): Promise<SolanaChain> {
  const { genesisHash = mainnetGenesis, ...address } = options;
  const ledger = new Ledger();
  const state: ChainState = { ledger, genesisHash, assets: [] };
  const emulator = await startHttpEmulator((request) => answer(request, state), address);
  return {
    ...emulator,
    assets: state.assets,
    get slot() {
      return ledger.slot;
    },
    nextSlot: () => ledger.nextSlot(),
    setMint: (mint) => ledger.putAccount(mintAccount(mint)),
    setBalance: async (balance) => ledger.putAccount(await balanceAccount(balance)),
    describeToken: async (token) => ledger.putAccount(await metadataAccount(token)),
    makeOriginal: async (mint) => ledger.putAccount(await masterEditionAccount(mint)),
    makePrint: async (...print) => ledger.putAccount(await printAccount(...print)),
  };
}

function answer({ body }: EmulatorRequest, state: ChainState): EmulatorReply {
  if (body === undefined) return { body: failure(null, new RpcError(-32700, 'Parse error')) };
  if (!Array.isArray(body)) return { body: answerOne(body, state) };
  return { body: body.map((request) => answerOne(request, state)) };
}

function answerOne(request: unknown, state: ChainState): unknown {
  const { id = null, method, params = [] } = Object(request);
  try {
    const run = typeof method === 'string' && Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (run === undefined) throw new RpcError(-32601, 'Method not found');
    return { jsonrpc: '2.0', result: run(params, state), id };
  } catch (error) {
    return failure(id, error instanceof RpcError ? error : new RpcError(-32603, 'Internal error'));
  }
}

function failure(id: unknown, { code, message, data }: RpcError): unknown {
  return { jsonrpc: '2.0', error: { code, message, ...(data !== undefined && { data }) }, id };
}

/** A token account in jsonParsed encoding. */
interface ParsedTokenAccount {
  mint: string;
  owner: string;
  state: string;
  isNative: boolean;
  tokenAmount: { amount: string; decimals: number; uiAmount: number; uiAmountString: string };
}

const tokenAccountLength = 165;
const mintLength = 82;

/** Parses a token account of SPL Token or Token-2022, which share the first part; undefined for mints and others. */
function parseTokenAccount({ data }: EncodedAccount, ledger: Ledger): ParsedTokenAccount | undefined {
  // Token-2022 marks the type of accounts with extensions after the first 165 bytes: 2 is a token account.
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

// What nodes return for rent-exempt accounts: the largest 64-bit number, as JavaScript prints it.
const rentEpoch = 18446744073709552000;

interface AccountForm {
  encoding?: unknown;
  dataSlice?: { offset: number; length: number };
}

/** Encodes an account as nodes do. */
function writeAccount(account: EncodedAccount, form: AccountForm, parsed?: unknown): Record<string, unknown> {
  return {
    data: form.encoding === 'jsonParsed' && parsed !== undefined ? parsed : writeData(account.data, form),
    executable: account.executable,
    lamports: Number(account.lamports),
    owner: account.programAddress,
    rentEpoch,
    space: account.data.length,
  };
}

function writeData(data: EncodedAccount['data'], { encoding = 'base58', dataSlice }: AccountForm): unknown {
  const slice = dataSlice ? data.slice(dataSlice.offset, dataSlice.offset + dataSlice.length) : data;
  if (encoding === 'base64' || encoding === 'jsonParsed') return [getBase64Decoder().decode(slice), 'base64'];
  if (encoding !== 'base58') throw new RpcError(-32602, `The emulator does not write ${String(encoding)}.`);
  if (slice.length > 128) {
    throw new RpcError(
      -32600,
      'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.',
    );
  }
  return getBase58Decoder().decode(slice);
}

interface ChainState {
  ledger: Ledger;
  genesisHash: string;
  /** The contents of the digital asset index. */
  assets: DigitalAsset[];
}

type Method = (params: readonly unknown[], state: ChainState) => unknown;

const tokenPrograms: readonly Address[] = [tokenProgram, token2022Program];
const maxAccounts = 100;

/** The supported methods of a node, and `getAssetsByOwner` of an index. */
const methods: Readonly<Record<string, Method>> = {
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
