import type { Operation } from '@latchkey/kernel';
import type { ExampleAnswer } from '../../../src/examples.ts';
import { aliceId } from '../identities.ts';
import { asJsonSchema } from '../json-schema.ts';
import { isForFewCalls } from '../operation-samples.ts';
import { sendRaw } from '../raw-http.ts';
import type { Headers } from '../refused-credentials.ts';
import type { Draft } from '../sample-request.ts';
import { isMounted, isOpen, isOperatorOnly, needsNoCredential, scopesOf } from '../served.ts';
import type { World } from '../set-up-world.ts';
import { type WireRequest, writeRequest } from '../write-request.ts';

/**
 * Records common mistakes in a call: a value that cannot be read, no credential, one that is not for this, a missing object, a missing
 * field.
 */
export async function recordRefusals(world: World, draft: Draft, credential: Headers): Promise<ExampleAnswer[]> {
  const { operation } = draft;
  // Responses of a protocol library have the formats of its protocol, and are described there.
  if (isMounted(operation)) return [];
  const isRequested = !isOpen(operation) && !needsNoCredential(operation);
  const whole = writeRequest(draft);
  const weakHeaders = isRequested ? await weakCredential(world, draft) : undefined;
  const tries: (readonly [status: number, request: WireRequest | undefined, headers: Headers])[] = [
    [400, isForFewCalls(operation) ? undefined : malformed(draft), credential],
    [401, isRequested ? whole : undefined, {}],
    [403, weakHeaders && whole, weakHeaders ?? {}],
    ...(isForFewCalls(operation)
      ? []
      : ([
          [404, written(withoutObject(world, draft)), credential],
          [422, written(withoutField(draft)), credential],
        ] as const)),
  ];
  const answers: ExampleAnswer[] = [];
  for (const [status, request, headers] of tries) {
    if (request === undefined) continue;
    const answer = await sendRaw(world.server.url, {
      ...request,
      headers: [...request.headers, ...Object.entries(headers)],
    });
    if (answer.status === status)
      answers.push({ status, type: 'application/json', body: JSON.parse(answer.body.toString()) });
  }
  return answers;
}

function written(draft: Draft | undefined): WireRequest | undefined {
  return draft && writeRequest(draft);
}

/** Returns the same call with a word in place of a number, or with a body that breaks off; undefined if it has neither. */
function malformed(draft: Draft): WireRequest | undefined {
  const { operation, path, query } = draft;
  const kinds = new Map(Object.entries(operation.params).map(([name, schema]) => [name, asJsonSchema(schema).type]));
  const [number] = [...kinds].find(([, type]) => type === 'number' || type === 'integer') ?? [];
  if (number !== undefined && number in path) return writeRequest({ ...draft, path: { ...path, [number]: 'many' } });
  if (number !== undefined) {
    const others = query.filter(([name]) => name !== number);
    return writeRequest({ ...draft, query: [...others, [number, 'many']] });
  }
  const request = writeRequest(draft);
  if (operation.body?.kind !== 'json' || request.body === undefined) return undefined;
  return { ...request, body: request.body.slice(0, -1) };
}

/** By world: a token and a key whose scope opens something else. */
const weak = new WeakMap<World, Promise<{ token: Headers; key: Headers }>>();
const weakScopes = ['telefrens:waiting-list', 'user:pkp:sign'] as const;

/** Returns a valid credential that is not for an operation: of another kind of caller, or without its scope. Some accept all. */
async function weakCredential(world: World, { operation }: Draft): Promise<Headers | undefined> {
  const { server, alice } = world;
  if (isOperatorOnly(operation)) return { authorization: alice };
  const takesKeys = operation.contract.access.roles.includes('$service_account');
  if (takesKeys && scopesOf(operation).length === 0) return undefined;
  const [usual, other] = weakScopes;
  const scope = scopesOf(operation).includes(usual) ? other : usual;
  if (scope !== usual) return { authorization: await server.aeToken(aliceId, [scope]) };
  const made =
    weak.get(world) ??
    (async () => ({
      token: { authorization: await server.aeToken(aliceId, [usual]) },
      key: { 'x-api-key': (await server.apiKey([usual], aliceId)).key },
    }))();
  weak.set(world, made);
  const { token, key } = await made;
  return scopesOf(operation).length > 0 ? token : key;
}

/** Returns the same call about an object that does not exist. */
function withoutObject({ owned }: World, draft: Draft): Draft | undefined {
  const { object } = draft.operation.contract.access;
  const missing = object && owned[object.what]?.missing;
  if (object === undefined || missing === undefined || !(object.param in draft.path)) return undefined;
  return { ...draft, path: { ...draft.path, [object.param]: missing } };
}

/** Returns the same call without the first required field of its body. */
function withoutField(draft: Draft): Draft | undefined {
  const { operation, body } = draft;
  const [name] = requiredOf(operation);
  if (name === undefined || typeof body !== 'object' || body === null) return undefined;
  return { ...draft, body: Object.fromEntries(Object.entries(body).filter(([key]) => key !== name)) };
}

function requiredOf({ body }: Operation): readonly string[] {
  return body?.kind === 'json' ? (asJsonSchema(body.schema).required ?? []) : [];
}
