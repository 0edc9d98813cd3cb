import { setTimeout } from 'node:timers/promises';
import { AppError, addMs, notFound, notSetUp } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { chainIdOf } from '../evm/index.ts';
import { claimCollection, postpone, saveTraits, selectTraits } from './queries.ts';
import { type NftTraits, summarizeTraits } from './summarize-traits.ts';

type AttributesContext = Pick<Context, 'clock' | 'db' | 'tokenMetadata'>;

/** How many tokens of a collection are read. */
export const maxTokensRead = 500;
const freshMs = 24 * 60 * 60 * 1000;
/** How long partial results stay fresh: missing documents may become available. */
const partFreshMs = 60 * 60 * 1000;
/** How long other processes leave the collection to the one that claimed it. */
const readingMs = 60 * 1000;
const retryMs = 30 * 1000;
/** How long a caller waits for another one that is reading. */
const patienceMs = 3_000;
const pollMs = 100;

interface Collection {
  chainId: number;
  address: string;
}

/**
 * Returns the traits of a collection, at most a day old. The first caller in a day waits for the chain, the others do
 * not.
 */
export async function getNftAttributesSummary(
  ctx: AttributesContext,
  { address, network = 'mainnet' }: { address: string; network?: string | undefined },
): Promise<NftTraits[]> {
  const chainId = chainIdOf(network);
  if (chainId === undefined) throw notFound('network');
  const collection = { chainId, address: address.toLowerCase() };
  const now = ctx.clock();
  const known = await selectTraits(ctx.db.system, chainId, collection.address);
  if (known?.traits && known.due_at > now) return known.traits;
  if (!ctx.tokenMetadata.reads(`evm:${chainId}`)) {
    if (known?.traits) return known.traits;
    throw notSetUp('This server does not read that chain.');
  }
  const until = addMs(now, readingMs);
  const isMine = await claimCollection(ctx.db.system, chainId, collection.address, now, until);
  if (!isMine) return known?.traits ?? (await waitForReader(ctx, collection));
  return readNow(ctx, collection, known?.traits ?? undefined);
}

/**
 * Another process is reading the collection for the first time, which usually finishes before this caller's timeout.
 */
async function waitForReader(ctx: AttributesContext, { chainId, address }: Collection): Promise<NftTraits[]> {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += pollMs) {
    await setTimeout(pollMs);
    const row = await selectTraits(ctx.db.system, chainId, address);
    if (row?.traits) return row.traits;
  }
  return giveUp('The collection is being read right now.', 5);
}

async function readNow(
  ctx: AttributesContext,
  { chainId, address }: Collection,
  known: NftTraits[] | undefined,
): Promise<NftTraits[]> {
  const signal = AbortSignal.timeout(readingMs);
  const answer = await ctx.tokenMetadata.readCollection(`evm:${chainId}`, address, { limit: maxTokensRead, signal });
  const now = ctx.clock();
  const after = (ms: number) => addMs(now, ms);
  if (answer.kind === 'unknown') {
    await postpone(ctx.db.system, chainId, address, after(retryMs));
    return known ?? giveUp('The collection cannot be read right now.');
  }
  const documents = answer.kind === 'none' ? [] : answer.documents;
  const isWhole = answer.kind === 'none' || answer.missing === 0;
  const traits = summarizeTraits(documents);
  const due_at = after(isWhole ? freshMs : partFreshMs);
  await saveTraits(ctx.db.system, { chain_id: chainId, address, traits, due_at, read_at: now });
  return traits;
}

function giveUp(sentence: string, retryAfterSeconds = retryMs / 1000): never {
  throw new AppError('UNAVAILABLE', `${sentence} Try again later.`, { retryAfterSeconds });
}
