import { ServiceFailed, toAnswers } from '@latchkey/adapter-kit';
import type { Answer, Question } from '@latchkey/core/ports';
import { fromUnits } from '../../http-holdings/index.ts';
import { type SubstrateRpc, service } from './rpc.ts';
import { numberKey, storageKey } from './storage-keys.ts';

/** The bytes of the account that a question is about. */
export type AccountOf = (question: Question) => Uint8Array;

/** The chain's own currency, all of it: also what is reserved, staked or otherwise not free to move. */
export async function readNative(questions: readonly Question[], rpc: SubstrateRpc, accountOf: AccountOf) {
  const placeOf = (question: Question) => storageKey('System', 'Account', accountOf(question));
  const [decimals, stored] = await Promise.all([rpc.readDecimals(), rpc.readStorage(questions.map(placeOf))]);
  return toAnswers(service, questions, (question): Answer => {
    const account = stored(placeOf(question));
    const countersLength = 16;
    const units = account === undefined ? 0n : account.skip(countersLength).u128() + account.u128();
    return { kind: 'read', amount: fromUnits(units, decimals), block: rpc.block };
  });
}

/** Tokens of the pallet Assets; the reference is the number of the asset. */
export async function readAssets(questions: readonly Question[], rpc: SubstrateRpc, accountOf: AccountOf) {
  const idOf = ({ reference }: Question) => numberKey(Number(reference));
  const places = (question: Question) => ({
    asset: storageKey('Assets', 'Asset', idOf(question)),
    metadata: storageKey('Assets', 'Metadata', idOf(question)),
    account: storageKey('Assets', 'Account', idOf(question), accountOf(question)),
  });
  const placesOf = new Map(questions.map((question) => [question, places(question)]));
  const stored = await rpc.readStorage([...placesOf.values()].flatMap((each) => Object.values(each)));
  return toAnswers(service, questions, (question): Answer => {
    const { asset, metadata, account } = placesOf.get(question) ?? places(question);
    if (stored(asset) === undefined) throw new ServiceFailed(`${service} knows no asset ${question.reference}.`);
    const described = stored(metadata);
    const depositLength = 16;
    // An asset without metadata has whole units only.
    const decimals = described === undefined ? 0 : described.skip(depositLength).skipBytes().skipBytes().u8();
    return { kind: 'read', amount: fromUnits(stored(account)?.u128() ?? 0n, decimals), block: rpc.block };
  });
}
