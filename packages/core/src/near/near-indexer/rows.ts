import type {
  NearAction,
  NearBlockSeen,
  NearReceiptSeen,
  NearTransactionOutcome,
  NearTransactionSeen,
} from '../../ports/index.ts';

export interface TransactionRow {
  hash: string;
  height: number;
  block_hash: string;
  block_time: string;
  chunk_hash: string;
  index_in_chunk: number;
  signer: string;
  signer_key: string;
  receiver: string;
  nonce: number;
  signature: string;
  status: string;
  receipt_id: string | null;
  gas_burnt: string;
  tokens_burnt: string;
  is_settled: boolean;
}

export interface ReceiptRow {
  id: string;
  kind: string;
  height: number;
  block_hash: string;
  block_time: string;
  chunk_hash: string;
  index_in_chunk: number;
  predecessor: string;
  receiver: string;
}

export interface CallRow {
  receipt_id: string;
  action_index: number;
  place: number;
  block_time: string;
  caller: string;
  contract: string;
  method: string;
  args: string;
}

/** The subject of a call: a token or an account. */
export interface SubjectRow {
  contract: string;
  subject: string;
  place: number;
  receipt_id: string;
  action_index: number;
}

/** Everything that blocks add to the index. */
export interface IndexRows {
  transactions: TransactionRow[];
  receipts: ReceiptRow[];
  origins: { receipt_id: string; transaction_hash: string }[];
  calls: CallRow[];
  callTokens: SubjectRow[];
  callAccounts: SubjectRow[];
  accounts: Set<string>;
  tokenAccounts: { account: string; kind: 'ft' | 'nft'; contract: string }[];
  mints: { contract: string; token_id: string; receipt_id: string; transaction_hash: string }[];
}

export function noRows(): IndexRows {
  return {
    transactions: [],
    receipts: [],
    origins: [],
    calls: [],
    callTokens: [],
    callAccounts: [],
    accounts: new Set(),
    tokenAccounts: [],
    mints: [],
  };
}

/** Heights are below 2^33 and a block has far fewer calls than this, so positions stay exact numbers. */
const callsPerBlock = 1_000_000;

export function placeOf(height: number, index = 0): number {
  return height * callsPerBlock + index;
}

interface Position {
  block: NearBlockSeen;
  chunkHash: string;
  index: number;
}

/** Adds the content of a block. Transactions whose outcome is missing are marked to be checked again. */
export function addBlock(
  rows: IndexRows,
  block: NearBlockSeen,
  outcomes: ReadonlyMap<string, NearTransactionOutcome | undefined>,
): void {
  let calls = 0;
  const addReceipt = (receipt: NearReceiptSeen, { chunkHash, index }: Position) => {
    rows.receipts.push({ ...placed({ block, chunkHash, index }), ...receiptFields(receipt) });
    rows.accounts.add(receipt.predecessor).add(receipt.receiver);
    for (const [actionIndex, action] of receipt.actions.entries()) {
      if (action.method === undefined) continue;
      const place = placeOf(block.height, calls++);
      addCall(rows, receipt, { ...action, method: action.method }, { actionIndex, place, time: block.timestamp });
    }
  };
  for (const { hash: chunkHash, transactions, receipts } of block.chunks) {
    for (const [index, transaction] of transactions.entries()) {
      const outcome = outcomes.get(transaction.hash);
      const position = { block, chunkHash, index };
      rows.transactions.push(transactionRow(transaction, outcome, position));
      rows.accounts.add(transaction.signer);
      if (outcome === undefined) continue;
      addOutcome(rows, transaction.hash, outcome, placeOf(block.height));
      if (outcome.receiptId === undefined) continue;
      // Receipts an account sends to itself are executed in the same block and listed in no chunk.
      if (transaction.signer === transaction.receiver)
        addReceipt(localReceipt(transaction, outcome.receiptId), position);
    }
    for (const [index, receipt] of receipts.entries()) addReceipt(receipt, { block, chunkHash, index });
  }
}

/** Adds the outcome of a transaction. `place` orders it among the calls if the contract's log names a token. */
export function addOutcome(rows: IndexRows, hash: string, outcome: NearTransactionOutcome, place: number): void {
  for (const id of new Set([...(outcome.receiptId ? [outcome.receiptId] : []), ...outcome.receiptIds]))
    rows.origins.push({ receipt_id: id, transaction_hash: hash });
  for (const { receiptId, contract, lines } of outcome.logs) {
    for (const line of lines) {
      const facts = factsOfLog(line);
      addFacts(rows, facts, { contract, place, receiptId, actionIndex: 0 });
      if (!facts.isMint) continue;
      for (const token_id of facts.tokenIds)
        rows.mints.push({ contract, token_id, receipt_id: receiptId, transaction_hash: hash });
    }
  }
}

function addCall(
  rows: IndexRows,
  { id, predecessor, receiver }: NearReceiptSeen,
  action: NearAction & { method: string },
  { actionIndex, place, time }: { actionIndex: number; place: number; time: string },
): void {
  const args = readArgs(action.args ?? '');
  rows.calls.push({
    receipt_id: id,
    action_index: actionIndex,
    place,
    block_time: time,
    caller: predecessor,
    contract: receiver,
    method: action.method,
    args: args.text,
  });
  const facts = factsOfCall(action.method, args.value);
  facts.accounts.add(predecessor);
  addFacts(rows, facts, { contract: receiver, place, receiptId: id, actionIndex });
}

function addFacts(
  rows: IndexRows,
  { tokenIds, accounts, holders, kind }: TokenFacts,
  {
    contract,
    place,
    receiptId,
    actionIndex,
  }: { contract: string; place: number; receiptId: string; actionIndex: number },
): void {
  const about = { contract, place, receipt_id: receiptId, action_index: actionIndex };
  for (const subject of tokenIds) rows.callTokens.push({ ...about, subject });
  for (const subject of accounts) rows.callAccounts.push({ ...about, subject });
  if (kind !== undefined) for (const account of holders) rows.tokenAccounts.push({ account, kind, contract });
}

function transactionRow(
  { hash, signer, signerKey, receiver, nonce, signature }: NearTransactionSeen,
  outcome: NearTransactionOutcome | undefined,
  position: Position,
): TransactionRow {
  return {
    ...placed(position),
    hash,
    signer,
    signer_key: signerKey,
    receiver,
    nonce,
    signature,
    status: outcome?.status ?? 'UNKNOWN',
    receipt_id: outcome?.receiptId ?? null,
    gas_burnt: outcome?.gasBurnt ?? '0',
    tokens_burnt: outcome?.tokensBurnt ?? '0',
    is_settled: outcome?.isFinal ?? false,
  };
}

function placed({ block, chunkHash, index }: Position) {
  return {
    height: block.height,
    block_hash: block.hash,
    block_time: block.timestamp,
    chunk_hash: chunkHash,
    index_in_chunk: index,
  };
}

function receiptFields({ id, kind, predecessor, receiver }: NearReceiptSeen) {
  return { id, kind, predecessor, receiver };
}

function localReceipt({ signer, receiver, actions }: NearTransactionSeen, id: string): NearReceiptSeen {
  return { id, kind: 'ACTION', predecessor: signer, receiver, actions };
}

const maxArgsBytes = 64 * 1024;

/**
 * Parses the arguments of a call: its JSON, or the bytes if they are not a JSON object. For very long ones only the
 * size is stored.
 */
function readArgs(base64: string): { text: string; value: Readonly<Record<string, unknown>> } {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > maxArgsBytes) return { text: JSON.stringify({ args_bytes: bytes.length }), value: {} };
  const text = bytes.toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { text, value: { ...value } };
  } catch {
    // Not JSON: the bytes themselves are stored.
  }
  return { text: JSON.stringify({ args_base64: base64 }), value: {} };
}

/** What a call or a log line says about tokens. */
interface TokenFacts {
  tokenIds: Set<string>;
  /** Every account it mentions. */
  accounts: Set<string>;
  /** Those of them who hold or held tokens of the contract. */
  holders: Set<string>;
  kind: 'ft' | 'nft' | undefined;
  /** Whether the tokens were minted. */
  isMint: boolean;
}

const accountPattern = /^(?=.{2,64}$)[a-z0-9]+(?:[-_.][a-z0-9]+)*$/;
const maxTokenIdLength = 256;
/** A log line may name thousands of tokens; at most this many are stored. */
const maxNamed = 1000;

/** Reads arguments of the token standards (NEP-141, NEP-171, NEP-178) and of contracts that use the same names. */
function factsOfCall(method: string, args: Readonly<Record<string, unknown>>): TokenFacts {
  // A contract that is notified of another contract's token, such as a market (nft_on_approve), has no tokens itself.
  const [, kind] = /^(ft|nft)_(?!on_)/.exec(method) ?? [];
  const facts = noFacts(kind === 'ft' || kind === 'nft' ? kind : undefined);
  addTokens(facts, [args.token_id, args.token_ids]);
  addHolders(facts, [args.receiver_id, args.token_owner_id, args.owner_id, args.new_owner_id]);
  addAccounts(facts, [args.account_id]);
  return facts;
}

const standards: Readonly<Record<string, 'ft' | 'nft'>> = { nep141: 'ft', nep171: 'nft', nep245: 'nft' };

/** Reads an event in the form of NEP-297: `EVENT_JSON:{"standard": …, "event": …, "data": […]}`. */
function factsOfLog(line: string): TokenFacts {
  const event = readEvent(line);
  const facts = noFacts(typeof event.standard === 'string' ? standards[event.standard] : undefined);
  facts.isMint = event.standard === 'nep171' && event.event === 'nft_mint';
  if (facts.kind === undefined || !Array.isArray(event.data)) return facts;
  for (const entry of event.data.slice(0, maxNamed)) {
    const { token_ids, owner_id, old_owner_id, new_owner_id, authorized_id } = Object(entry);
    addTokens(facts, [token_ids]);
    addHolders(facts, [owner_id, old_owner_id, new_owner_id]);
    addAccounts(facts, [authorized_id]);
  }
  return facts;
}

function noFacts(kind: 'ft' | 'nft' | undefined): TokenFacts {
  return { tokenIds: new Set(), accounts: new Set(), holders: new Set(), kind, isMint: false };
}

function readEvent(line: string): { standard?: unknown; event?: unknown; data?: unknown } {
  if (!line.startsWith('EVENT_JSON:')) return {};
  try {
    return Object(JSON.parse(line.slice('EVENT_JSON:'.length)));
  } catch {
    return {};
  }
}

function addTokens({ tokenIds }: TokenFacts, values: readonly unknown[]): void {
  for (const value of values.flat().slice(0, maxNamed)) {
    // PostgreSQL text cannot contain a NUL, and no token has such an id.
    if (typeof value === 'string' && value.length <= maxTokenIdLength && !value.includes('\0')) tokenIds.add(value);
  }
}

function addHolders(facts: TokenFacts, values: readonly unknown[]): void {
  for (const account of addAccounts(facts, values)) facts.holders.add(account);
}

function addAccounts({ accounts }: TokenFacts, values: readonly unknown[]): string[] {
  const named = values.filter((value) => typeof value === 'string').filter((value) => accountPattern.test(value));
  for (const account of named) accounts.add(account);
  return named;
}
