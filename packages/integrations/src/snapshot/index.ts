import {
  baseOf,
  type Fields,
  fieldsOf,
  flagOf,
  listOf,
  Malformed,
  nameOf,
  requestJson,
  ServiceFailed,
  textOf,
} from '@latchkey/adapter-kit';
import type { HubAnswer, SnapshotHub, SnapshotProposal, SnapshotSpace } from '@latchkey/core/ports';
import { observed } from '@latchkey/kernel';

export interface SnapshotHubOptions {
  /** For example https://hub.snapshot.org. */
  url: string;
  /** With a key, the hub counts calls for this server instead of its IP address. */
  apiKey?: string | undefined;
  fetch: typeof globalThis.fetch;
  timeoutMs?: number | undefined;
}

const spaceQuery = 'query Space($id: String) { space(id: $id) { id name } }';
const proposalQuery = `query Proposal($id: String) {
  proposal(id: $id) { id title body author choices start end link flagged space { id name } }
}`;

/** Reads spaces and proposals from a Snapshot hub over GraphQL. */
export function createSnapshotHub({ url, apiKey, fetch, timeoutMs }: SnapshotHubOptions): SnapshotHub {
  const address = `${baseOf(url)}/graphql`;
  async function read<Found>(
    name: 'space' | 'proposal',
    query: string,
    id: string,
    shape: (fields: Fields) => Found,
    signal: AbortSignal | undefined,
  ): Promise<HubAnswer<Found>> {
    try {
      const { body } = await requestJson(address, {
        service: 'Snapshot',
        fetch,
        timeoutMs,
        signal,
        headers: apiKey === undefined ? {} : { 'x-api-key': apiKey },
        body: { query, variables: { id } },
      });
      const { data, errors } = fieldsOf(body, 'the answer');
      if (errors !== undefined && listOf(errors, 'the list of errors').length > 0) return unknown('rejected the query');
      const found = fieldsOf(data, 'the data')[name];
      return found === null ? { kind: 'missing' } : { kind: 'found', found: shape(fieldsOf(found, name)) };
    } catch (error) {
      if (error instanceof ServiceFailed) return { kind: 'unknown', reason: error.message };
      if (error instanceof Malformed) {
        observed.malformedEntry.record({ source: 'Snapshot', kind: name });
        return unknown('sent an invalid response');
      }
      throw error;
    }
  }
  return {
    readSpace: (id, signal) => read('space', spaceQuery, id, toSpace, signal),
    readProposal: (id, signal) => read('proposal', proposalQuery, id, toProposal, signal),
  };
}

function unknown(what: string): { kind: 'unknown'; reason: string } {
  return { kind: 'unknown', reason: `Snapshot ${what}.` };
}

function toSpace({ id, name }: Fields): SnapshotSpace {
  const known = nameOf(id, 'the id of the space');
  return { id: known, name: typeof name === 'string' && name !== '' ? name : known };
}

function toProposal(fields: Fields): SnapshotProposal {
  const { id, title, body, author, choices, start, end, link, flagged, space } = fields;
  return {
    id: nameOf(id, 'the id'),
    title: textOf(title, 'the title'),
    body: typeof body === 'string' ? body : '',
    author: textOf(author, 'the author'),
    choices: listOf(choices, 'the choices').map((choice) => textOf(choice, 'a choice')),
    startsAtSeconds: secondsOf(start, 'the start'),
    endsAtSeconds: secondsOf(end, 'the end'),
    link: typeof link === 'string' ? link : undefined,
    isFlagged: flagOf(flagged ?? undefined, 'whether it is flagged'),
    space: toSpace(fieldsOf(space, 'the space')),
  };
}

function secondsOf(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new Malformed(`${what} is not a valid time`);
  return value;
}
