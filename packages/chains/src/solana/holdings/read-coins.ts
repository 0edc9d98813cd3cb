import { setImmediate } from 'node:timers/promises';
import { answerEach, ServiceFailed } from '@latchkey/adapter-kit';
import type { Answer, Question } from '@latchkey/core/ports';
import { fromUnits } from '../../http-holdings/index.ts';
import { associatedTokenAddress } from './program-addresses.ts';
import { type Account, type AccountLookUp, type SolanaRpc, service } from './rpc.ts';
import { type Mint, mintLength, readMint, readTokenAccount, tokenAccountLength } from './token-accounts.ts';

const solDecimals = 9;

/** One batch of questions to one node, at one slot. */
export interface Batch {
  rpc: SolanaRpc;
  slot: bigint;
}

/** SOL, 100 accounts in a question. */
export async function readNative(questions: readonly Question[], { rpc, slot }: Batch): Promise<Answer[]> {
  const addresses = questions.map(({ account }) => account);
  const accounts = await rpc.readAccounts(addresses, slot, 0);
  return answerEach(service, questions, async ({ account }) => {
    const lamports = accounts(account)?.lamports ?? 0n;
    return { kind: 'read', amount: fromUnits(lamports, solDecimals), block: { number: slot.toString() } };
  });
}

/**
 * Tokens of SPL Token and Token-2022. The associated accounts are read first, 100 in a question; only for a wallet whose
 * associated account is missing or empty the node is asked for others. What somebody keeps in further accounts besides a
 * filled associated one is not counted, since that would take a question for each wallet.
 */
export async function readSpl(questions: readonly Question[], { rpc, slot }: Batch): Promise<Answer[]> {
  const references = questions.map(({ reference }) => reference);
  const mints = await rpc.readAccounts(references, slot, mintLength);
  const associated = await associate(questions, mints);
  const addresses = [...associated.values()].filter((address) => address !== undefined);
  const accounts = await rpc.readAccounts(addresses, slot, tokenAccountLength);
  return answerEach(service, questions, async (question) => {
    const { account, reference } = question;
    const { decimals } = mintOf(reference, mints);
    const address = associated.get(question);
    const usual = address === undefined ? 0n : balanceIn(accounts(address), question);
    const units = usual > 0n ? usual : sumOf(await rpc.readTokenAccounts(account, { mint: reference }, slot), question);
    return { kind: 'read', amount: fromUnits(units, decimals), block: { number: slot.toString() } };
  });
}

function mintOf(reference: string, mints: AccountLookUp): Mint {
  const account = mints(reference);
  if (account === undefined) throw new ServiceFailed(`${service} knows no mint ${reference}.`);
  return readMint(account);
}

// Deriving an address takes a fraction of a millisecond; thousands in a row would keep everything else waiting.
async function associate(questions: readonly Question[], mints: AccountLookUp) {
  const addresses = new Map<Question, string | undefined>();
  for (const question of questions) {
    addresses.set(question, findAssociated(question, mints));
    if (addresses.size % 100 === 0) await setImmediate();
  }
  return addresses;
}

function findAssociated({ account, reference }: Question, mints: AccountLookUp): string | undefined {
  try {
    return associatedTokenAddress(account, reference, mintOf(reference, mints).program);
  } catch {
    // Whatever is wrong with the mint is said again, and told, when the question is answered.
    return undefined;
  }
}

// An associated account can be given away, and a node can err: only what names this owner and this mint counts.
function balanceIn(account: Account | undefined, question: Pick<Question, 'account' | 'reference'>): bigint {
  const held = account && readTokenAccount(account);
  return held?.owner === question.account && held.mint === question.reference ? held.amount : 0n;
}

function sumOf(accounts: readonly Account[], question: Question): bigint {
  return accounts.reduce((sum, account) => sum + balanceIn(account, question), 0n);
}
