import { answerEach, type Fields, namesTokens, ServiceFailed } from '@latchkey/adapter-kit';
import type { Answer, HeldToken, Question } from '@latchkey/core/ports';
import { known, lookUp } from '../../look-up.ts';
import type { ReadDocument } from '../../token-documents.ts';
import type { AccountOf } from './read-coins.ts';
import { type SubstrateRpc, service } from './rpc.ts';
import type { ScaleReader } from './scale.ts';
import { lastNumber, numberKey, storageKey } from './storage-keys.ts';

/** What a pallet of collectibles calls its maps, and what stands before the URI in its metadata. */
interface Pallet {
  name: string;
  collections: string;
  metadata: string;
  skipDeposit(metadata: ScaleReader): ScaleReader;
}

const balanceLength = 16;

const pallets: Readonly<Record<string, Pallet>> = {
  uniques: {
    name: 'Uniques',
    collections: 'Class',
    metadata: 'InstanceMetadataOf',
    skipDeposit: (metadata) => metadata.skip(balanceLength),
  },
  nfts: {
    name: 'Nfts',
    collections: 'Collection',
    metadata: 'ItemMetadataOf',
    // Here the deposit also names who paid it, unless the owner of the collection did.
    skipDeposit: (metadata) => (metadata.u8() === 0 ? metadata : metadata.skip(32)).skip(balanceLength),
  },
};

export interface CollectibleOptions {
  accountOf: AccountOf;
  readDocument: ReadDocument;
}

/**
 * Collectibles of the pallets Uniques and Nfts; the reference is the number of the collection. The pallets keep a list for
 * each owner and collection, so each question takes a question to the node.
 */
export async function readCollectibles(
  questions: readonly Question[],
  rpc: SubstrateRpc,
  { accountOf, readDocument }: CollectibleOptions,
): Promise<Answer[]> {
  const collections = await rpc.readStorage(questions.map(collectionPlace));
  return answerEach(service, questions, async (question) => {
    const { name } = palletOf(question);
    const collection = numberKey(Number(question.reference));
    if (collections(collectionPlace(question)) === undefined) {
      throw new ServiceFailed(`${service} knows no collection ${question.reference}.`);
    }
    const start = storageKey(name, 'Account', accountOf(question), collection);
    const places = await rpc.listPlaces(start);
    const ids = places.flatMap((place) => lastNumber(place, start) ?? []);
    if (ids.length !== places.length) throw new ServiceFailed(`${service} listed something else.`);
    const answer: Answer = { kind: 'read', amount: String(ids.length), block: rpc.block };
    if (!namesTokens(question)) return answer;
    const tokens = ids.map((id) => ({ id: id.toString(), amount: '1' }));
    return {
      ...answer,
      tokens: question.needs === 'metadata' ? await describe(tokens, question, rpc, readDocument) : tokens,
    };
  });
}

async function describe(
  tokens: readonly HeldToken[],
  question: Question,
  rpc: SubstrateRpc,
  readDocument: ReadDocument,
) {
  const { name, metadata, skipDeposit } = palletOf(question);
  const placeOf = ({ id }: HeldToken) =>
    storageKey(name, metadata, numberKey(Number(question.reference)), numberKey(Number(id)));
  const stored = await rpc.readStorage(tokens.map(placeOf));
  const uris = new Map(
    tokens.map((token) => {
      const said = stored(placeOf(token));
      return [token, said === undefined ? '' : skipDeposit(said).text()];
    }),
  );
  const documents = await lookUp(
    [...uris.values()].filter((uri) => uri !== ''),
    readDocument,
  );
  return tokens.map((token): HeldToken => {
    const uri = uris.get(token);
    if (!uri) return { ...token, metadata: {} };
    const document: Fields | undefined = known(documents, uri);
    return { ...token, uri, ...(document && { metadata: document }) };
  });
}

function collectionPlace(question: Question): string {
  const { name, collections } = palletOf(question);
  return storageKey(name, collections, numberKey(Number(question.reference)));
}

function palletOf({ standard }: Question): Pallet {
  const pallet = pallets[standard];
  if (pallet === undefined) throw new Error(`There is no pallet of ${standard}.`);
  return pallet;
}
