import { answerEach, namesTokens } from '@latchkey/adapter-kit';
import type { Answer, Question } from '@latchkey/core/ports';
import { sumDecimals } from '../../http-holdings/index.ts';
import { known, type LookUp, lookUp } from '../../look-up.ts';
import type { ReadDocument } from '../../token-documents.ts';
import type { ReadAssets } from './asset-index.ts';
import { type Collectible, counts, toHeldToken } from './collectible.ts';
import { readMetadata, readOriginal, type TokenMetadata } from './metadata-accounts.ts';
import { editionAddress, metadataAddress, token2022Program, tokenProgram } from './program-addresses.ts';
import type { Batch } from './read-coins.ts';
import { type Account, service } from './rpc.ts';
import { mintLength, readMint, readTokenAccount } from './token-accounts.ts';

export interface CollectibleBatch extends Batch {
  /** Compressed collectibles and those of Metaplex Core are in no token account, so only an index knows them. */
  readAssets: ReadAssets | undefined;
  readDocument: ReadDocument;
}

/**
 * Metaplex collectibles: those in the token accounts of each owner, and, where an index is set, those that only it knows.
 * `details.by` says what the reference is: `creators`, `masterEditions` (the original or a print of it), `mint` or
 * `collection`. Only creators that signed and collections that confirmed count.
 */
export async function readCollectibles(questions: readonly Question[], batch: CollectibleBatch): Promise<Answer[]> {
  const { slot, readAssets, readDocument } = batch;
  const owners = questions.map(({ account }) => account);
  const owned = await lookUp(owners, (owner) => readOwned(owner, batch));
  const indexed = await lookUp(owners, async (owner) => (await readAssets?.(owner, slot)) ?? []);
  const mints = owners.flatMap((owner) => [...(known(owned, owner)?.keys() ?? [])]);
  const withEditions = questions.some(({ details }) => details?.by === 'masterEditions');
  const described = await describe(mints, withEditions, batch);
  return answerEach(service, questions, async (question) => {
    const { account, needs } = question;
    const onChain = [...owned(account)].map(([mint, units]) => ({ units, collectible: described(mint) }));
    const others = indexed(account).map((collectible) => ({ units: 1n, collectible }));
    const isCounted = counts(question);
    const counted = [...onChain, ...others].flatMap(({ units, collectible }) =>
      collectible && isCounted(collectible) ? [{ collectible, amount: units.toString() }] : [],
    );
    const amount = sumDecimals(counted.map((each) => each.amount));
    const block = { number: slot.toString() };
    if (!namesTokens(question)) return { kind: 'read', amount, block };
    const uris = counted.flatMap(({ collectible: { uri, document } }) => (uri && !document ? uri : []));
    const documents = needs === 'metadata' ? await lookUp(uris, readDocument) : undefined;
    const tokens = counted.map((each) => toHeldToken(each.collectible, each.amount, documents));
    return { kind: 'read', amount, tokens, block };
  });
}

/** How much an owner has of each mint, in whichever token accounts. */
async function readOwned(owner: string, { rpc, slot }: Batch): Promise<Map<string, bigint>> {
  const programs = [tokenProgram, token2022Program];
  const accounts = await Promise.all(programs.map((programId) => rpc.readTokenAccounts(owner, { programId }, slot)));
  const held = new Map<string, bigint>();
  for (const account of accounts.flat()) {
    const token = readTokenAccount(account);
    if (token?.owner !== owner || token.amount === 0n) continue;
    held.set(token.mint, (held.get(token.mint) ?? 0n) + token.amount);
  }
  return held;
}

/** What each mint is; undefined for currencies and for mints that Metaplex does not know. */
async function describe(
  mints: readonly string[],
  withEditions: boolean,
  { rpc, slot }: Batch,
): Promise<LookUp<Collectible | undefined>> {
  const metadataAt = new Map(mints.map((mint) => [mint, metadataAddress(mint)]));
  const editionAt = new Map(withEditions ? mints.map((mint) => [mint, editionAddress(mint)]) : []);
  const [accounts, editions] = await Promise.all([
    rpc.readAccounts(metadataAt.values(), slot),
    rpc.readAccounts(editionAt.values(), slot),
  ]);
  const metadataOf = (mint: string): TokenMetadata | undefined => {
    const account = accounts(metadataAt.get(mint) ?? '');
    const metadata = account && readMetadata(account);
    return metadata?.mint === mint ? metadata : undefined;
  };
  // Old metadata does not say whether its mint is a currency; the mint's decimals do.
  const silent = mints.filter((mint) => saysNoStandard(known(metadataOf, mint)));
  const mintAccounts = await rpc.readAccounts(silent, slot, mintLength);
  return (mint) => {
    const metadata = metadataOf(mint);
    if (metadata === undefined) return undefined;
    const { isFungible = isCurrency(mintAccounts(mint)), ...rest } = metadata;
    if (isFungible) return undefined;
    const address = editionAt.get(mint);
    const edition = address === undefined ? undefined : editions(address);
    return { ...rest, ...(edition && address !== undefined && { masterEdition: readOriginal(edition) ?? address }) };
  };
}

function saysNoStandard(metadata: TokenMetadata | undefined): boolean {
  return metadata !== undefined && metadata.isFungible === undefined;
}

function isCurrency(mint: Account | undefined): boolean {
  return mint === undefined || readMint(mint).decimals > 0;
}
