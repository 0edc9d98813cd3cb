import {
  answerGroups,
  digitsOf,
  type Fields,
  fieldsOf,
  listOf,
  Malformed,
  namesTokens,
  ServiceFailed,
  textOf,
  toAnswers,
  unknown,
} from '@latchkey/adapter-kit';
import type { BlockPoint, HeldToken, HoldingsReader, Question } from '@latchkey/core/ports';
import { createHttpReader, type HttpHoldingsOptions, heldTokens, type Session } from '../../http-holdings/index.ts';
import { atOneHeight } from './at-one-height.ts';

const service = 'The ord server';
const idsPerRequest = 100;
const maxInscriptions = 5_000;
const everything = 'inscriptions';
const idForm = /^[0-9a-f]{64}i\d{1,9}$/;

export interface OrdHoldingsOptions extends HttpHoldingsOptions {
  /** Named collections without a common parent inscription: the ids of their inscriptions. */
  collections?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Reads `ordinals` from an ord server that indexes addresses. The reference selects the inscriptions: `inscriptions` for all, numbers such
 * as `0-9999`, the id of a parent inscription for its children, or the name of a configured collection. A token's id is its inscription
 * number, so that `tokenIds` can contain ranges.
 */
export function createOrdHoldings(options: OrdHoldingsOptions): HoldingsReader {
  const read = (questions: readonly Question[], session: Session) =>
    atOneHeight(
      service,
      () => findHeight(session),
      (block) =>
        answerGroups(service, questions, { keyOf: ({ account }) => account }, async (group) => {
          const ids = await readIds(group[0].account, session);
          const isCount = group.every((question) => question.reference === everything && !namesTokens(question));
          const inscriptions = isCount ? [] : await readInscriptions(ids, session);
          return toAnswers(service, group, (question) => {
            if (isCount) return { kind: 'read', amount: String(ids.length), block };
            const counts = filterOf(question.reference, options);
            if (!counts) return unknown('Inscription range, parent or collection not found.');
            const tokens = inscriptions.filter(counts).map((one) => readToken(one, question));
            return heldTokens(question, tokens, block);
          });
        }),
    );
  return createHttpReader({ service, standards: ['ordinals'], hasHistory: false, read }, options);
}

async function findHeight({ ask, chain }: Session): Promise<BlockPoint> {
  const status = fieldsOf((await ask('/status')).body, 'the status');
  if (status.address_index !== true) throw new ServiceFailed(`${service} is running without its address index.`);
  if (status.chain !== chain.slice(chain.indexOf(':') + 1))
    throw new ServiceFailed(`${service} serves another network.`);
  if (status.unrecoverably_reorged === true) throw new ServiceFailed(`${service} lost the chain in a reorganization.`);
  return { number: digitsOf(status.height, 'the height') };
}

async function readIds(account: string, { ask }: Session): Promise<string[]> {
  const { inscriptions } = fieldsOf((await ask(`/address/${encodeURIComponent(account)}`)).body, 'the address');
  const ids = listOf(inscriptions, 'the list of inscriptions').map((id) => textOf(id, 'an id'));
  if (!ids.every((id) => idForm.test(id))) throw new Malformed('an inscription id is invalid');
  if (ids.length > maxInscriptions) throw new ServiceFailed('The address holds more inscriptions than the read limit.');
  return [...new Set(ids)];
}

async function readInscriptions(ids: readonly string[], session: Session): Promise<Fields[]> {
  const found: Fields[] = [];
  for (let start = 0; start < ids.length; start += idsPerRequest) {
    found.push(...(await readDetails(ids.slice(start, start + idsPerRequest), session)));
  }
  if (found.length !== ids.length || found.some((one, place) => one.id !== ids[place]))
    throw new Malformed('it is about other inscriptions');
  return found;
}

async function readDetails(ids: readonly string[], { ask }: Session): Promise<Fields[]> {
  const { status, body } = await ask('/inscriptions', { body: ids, answers: [404, 405] });
  if (status === 200) return listOf(body, 'the list of inscriptions').map((one) => fieldsOf(one, 'an inscription'));
  // Older servers return inscriptions only one at a time.
  const found: Fields[] = [];
  for (const id of ids) found.push(fieldsOf((await ask(`/inscription/${id}`)).body, 'an inscription'));
  return found;
}

function filterOf(reference: string, { collections = {} }: OrdHoldingsOptions): ((one: Fields) => boolean) | undefined {
  if (reference === everything) return () => true;
  const [, from, to] = /^(\d{1,12})-(\d{1,12})$/.exec(reference) ?? [];
  if (from !== undefined) return (one) => Number(from) <= numberOf(one) && numberOf(one) <= Number(to);
  if (idForm.test(reference)) return (one) => parentsOf(one).includes(reference);
  const ids = Object.hasOwn(collections, reference) ? new Set(collections[reference]) : undefined;
  return ids && ((one) => ids.has(textOf(one.id, 'an id')));
}

function parentsOf({ parents }: Fields): string[] {
  const ids = listOf(parents, 'the list of parents').map((id) => textOf(id, 'an id'));
  if (!ids.every((id) => idForm.test(id))) throw new Malformed('a parent id is invalid');
  return ids;
}

/** Cursed inscriptions, which broke an early rule, have negative numbers. */
function numberOf({ number }: Fields): number {
  if (!Number.isSafeInteger(number)) throw new Malformed('an inscription number is invalid');
  return Number(number);
}

function readToken(one: Fields, { needs }: Question): HeldToken {
  const metadata = { inscriptionId: one.id, contentType: one.content_type, height: one.height };
  return { id: String(numberOf(one)), amount: '1', ...(needs === 'metadata' && { metadata }) };
}
