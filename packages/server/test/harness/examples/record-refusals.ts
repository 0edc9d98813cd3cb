import type { Operation } from '@latchkey/kernel';
import type { ExampleAnswer } from '../../../src/examples.ts';
import { asJsonSchema } from '../json-schema.ts';
import { isForFewCalls } from '../operation-samples.ts';
import { sendRaw } from '../raw-http.ts';
import type { Headers } from '../refused-credentials.ts';
import type { Draft } from '../sample-request.ts';
import { isMounted, isOpen, needsNoCredential } from '../served.ts';
import type { World } from '../set-up-world.ts';
import { writeRequest } from '../write-request.ts';

/** Records common mistakes in a call: no credential, a missing object, a missing field. */
export async function recordRefusals(world: World, draft: Draft, credential: Headers): Promise<ExampleAnswer[]> {
  const { operation } = draft;
  // Responses of a protocol library have the formats of its protocol, and are described there.
  if (isMounted(operation)) return [];
  const isRequested = !isOpen(operation) && !needsNoCredential(operation);
  const tries: (readonly [status: number, draft: Draft | undefined, headers: Headers])[] = [
    [401, isRequested ? draft : undefined, {}],
    ...(isForFewCalls(operation)
      ? []
      : ([
          [404, withoutObject(world, draft), credential],
          [422, withoutField(draft), credential],
        ] as const)),
  ];
  const answers: ExampleAnswer[] = [];
  for (const [status, changed, headers] of tries) {
    if (changed === undefined) continue;
    const request = writeRequest(changed);
    const answer = await sendRaw(world.server.url, {
      ...request,
      headers: [...request.headers, ...Object.entries(headers)],
    });
    if (answer.status === status)
      answers.push({ status, type: 'application/json', body: JSON.parse(answer.body.toString()) });
  }
  return answers;
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
