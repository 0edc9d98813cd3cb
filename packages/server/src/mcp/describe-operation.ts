import { isOpen, type Operation } from '@latchkey/kernel';
import type { JSONObject } from '@modelcontextprotocol/server';
import type { Tool } from './tool.ts';

/** What schemas hold for our own use. */
const ownWords = new Set(['x-name', 'x-in', 'x-exact']);

/** Operations that send a body, and change nothing all the same. */
const readingPosts = new Set(['checkRoles', 'describeRuleDraft', 'tryRuleDraft', 'previewRuleDraft']);

/** Whether an operation leaves everything as it is. What redirects a browser may finish something for it. */
export function isReading({ method, contract, answer }: Operation): boolean {
  if (method !== 'GET') return readingPosts.has(contract.id);
  return (
    contract.changes !== true && contract.audit === undefined && answer.kind !== 'redirect' && answer.kind !== 'none'
  );
}

/** Whether a tool can call it: no protocol of its own, no stream, and JSON where it has a body. */
export function isCallable({ contract, answer, body }: Operation): boolean {
  return contract.mounted !== true && answer.kind !== 'events' && (body === undefined || body.kind === 'json');
}

/** The parameters of an operation by name, and its body under `body`. */
export function inputSchemaOf(operation: Operation): Tool['inputSchema'] {
  const { params, body, path } = operation;
  const properties = Object.fromEntries(Object.entries(params).map(([name, schema]) => [name, plain(schema)]));
  const required = Object.entries(params)
    .filter(([name, schema]) => path.includes(`{${name}}`) || !('~optional' in schema))
    .map(([name]) => name);
  if (body === undefined) return { type: 'object', properties, required };
  return {
    type: 'object',
    properties: { ...properties, body: plain(body.schema) },
    required: body.isOptional === true ? required : [...required, 'body'],
  };
}

/** An operation in a line of a list. */
export function summarize(operation: Operation) {
  const { route, contract } = operation;
  return { id: contract.id, call: route, summary: contract.summary, changes: !isReading(operation) };
}

/** Everything that a caller has to know of an operation. */
export function describe(operation: Operation) {
  const { contract, answer } = operation;
  return {
    ...summarize(operation),
    description: contract.description,
    needsCredential: !isOpen(contract.access),
    scopes: contract.access.scopes.filter((scope) => scope !== '$public'),
    inputSchema: inputSchemaOf(operation),
    ...(answer.schema !== undefined && { outputSchema: plain(answer.schema) }),
  };
}

function plain(schema: object): JSONObject {
  return JSON.parse(JSON.stringify(schema, (key, value) => (isOwnWord(key) ? undefined : value)));
}

function isOwnWord(key: string): boolean {
  return key.startsWith('~') || ownWords.has(key);
}
