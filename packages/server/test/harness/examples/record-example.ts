import type { Operation } from '@latchkey/kernel';
import type { Example, ExampleAnswer } from '../../../src/examples.ts';
import { isForFewCalls, samplesFor } from '../operation-samples.ts';
import { sendRaw } from '../raw-http.ts';
import type { Headers } from '../refused-credentials.ts';
import { type Draft, sampleRequest } from '../sample-request.ts';
import { rightCredential, type World } from '../set-up-world.ts';
import { type WireRequest, writeRequest } from '../write-request.ts';
import { recordRefusals } from './record-refusals.ts';
import { asSampleCommunity } from './sample-ids.ts';
import { tidy } from './tidy.ts';

export interface Recorded {
  example: Example;
  /** The actual request, and its caller. */
  draft: Draft;
  credential: Headers;
}

/** Calls an operation as a permitted caller, with only the required input. Throws if it does not succeed. */
export async function recordExample(world: World, operation: Operation): Promise<Recorded> {
  const { server } = world;
  const samples = await samplesFor(world, operation, () => 1);
  const draft = sampleRequest(operation, samples);
  const credential = isForFewCalls(operation)
    ? { authorization: await server.aeToken(`DIS#USER#example-${operation.method}`) }
    : await rightCredential(world, operation);
  const refusals = await recordRefusals(world, draft, credential);
  const request = writeRequest(draft);
  const answer = await sendRaw(server.url, {
    ...request,
    headers: [...request.headers, ...Object.entries(credential)],
  });
  const text = answer.body.toString();
  if (answer.status !== operation.answer.status)
    throw new Error(`${operation.method} ${request.target} was answered with ${answer.status}: ${text}`);
  const type = answer.headers.get('content-type')?.replace(/;.*/, '');
  const location = answer.headers.get('location');
  const response = {
    status: answer.status,
    ...(text !== '' && type !== undefined && { type }),
    ...(location !== undefined && { location }),
    ...(text !== '' && isReadable(type) && { body: type?.includes('json') ? JSON.parse(text) : text }),
  };
  const conflict = await recordConflict(server.url, operation, request, credential);
  if (conflict !== undefined) refusals.push(conflict);
  refusals.sort((one, other) => one.status - other.status);
  const example = { request: requestOf(draft), response, ...(refusals.length > 0 && { refusals }) };
  return { example: tidyExample(example, server.url, operation.route), draft, credential };
}

/** Returns how the same call is refused the second time, if the object is then in another state. */
async function recordConflict(
  url: string,
  operation: Operation,
  request: WireRequest,
  credential: Headers,
): Promise<ExampleAnswer | undefined> {
  if (isForFewCalls(operation) || !operation.contract.errors?.includes('STATE_CONFLICT')) return undefined;
  const answer = await sendRaw(url, { ...request, headers: [...request.headers, ...Object.entries(credential)] });
  if (answer.status !== conflictStatus) return undefined;
  return { status: conflictStatus, type: 'application/json', body: JSON.parse(answer.body.toString()) };
}

const conflictStatus = 409;

/** Lists are truncated for readers, except the list of error responses. */
function tidyExample({ refusals, ...example }: Example, serverUrl: string, route: string): Example {
  const tidied = tidy(example, serverUrl) as Example;
  return asSampleCommunity(
    refusals === undefined
      ? tidied
      : { ...tidied, refusals: refusals.map((refusal) => tidy(refusal, serverUrl) as ExampleAnswer) },
    route,
  );
}

function requestOf({ operation, path, query, headers, body }: Draft): Example['request'] {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(path[name] ?? ''));
  return {
    path: filled,
    ...(query.length > 0 && { query: Object.fromEntries(query) }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    // Without undefined fields, which are not sent.
    ...(body !== undefined && { body: JSON.parse(JSON.stringify(body)) }),
  };
}

function isReadable(type: string | undefined): boolean {
  return type !== undefined && (type.includes('json') || type.startsWith('text/'));
}
