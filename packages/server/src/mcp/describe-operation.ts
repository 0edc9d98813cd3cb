import { isOpen, type Operation, T, type TSchema } from '@latchkey/kernel';
import type { JSONObject } from '@modelcontextprotocol/server';
import { type ToolSchema, toolSchema } from './tool.ts';

/** Schema keywords for internal use. */
const ownWords = new Set(['x-name', 'x-in', 'x-exact']);

/** Operations that send a body but are read-only. */
const readingPosts = new Set(['checkRoles', 'describeRuleDraft', 'tryRuleDraft', 'previewRuleDraft']);

/** Whether an operation is read-only. A browser redirect may complete something. */
export function isReading({ method, contract, answer }: Operation): boolean {
  if (method !== 'GET') return readingPosts.has(contract.id);
  return (
    contract.changes !== true && contract.audit === undefined && answer.kind !== 'redirect' && answer.kind !== 'none'
  );
}

/** Whether a tool can call it: no protocol of its own, no stream, and only JSON bodies. */
export function isCallable({ contract, answer, body }: Operation): boolean {
  return contract.mounted !== true && answer.kind !== 'events' && (body === undefined || body.kind === 'json');
}

/** The parameters of an operation by name, and its body under `body`. */
export function inputSchemaOf({ params, body, path }: Operation): ToolSchema {
  const required = (name: string, schema: TSchema) =>
    path.includes(`{${name}}`) && '~optional' in schema ? T.Unsafe(plain(schema)) : schema;
  const fields = Object.fromEntries(
    Object.entries(params).map(([name, schema]): [string, TSchema] => [name, required(name, schema)]),
  );
  if (body === undefined) return toolSchema(fields);
  return toolSchema({ ...fields, body: body.isOptional === true ? T.Optional(body.schema) : body.schema });
}

/** Describes an operation in one line of a list. */
export function summarize(operation: Operation) {
  const { route, contract } = operation;
  return { id: contract.id, call: route, summary: contract.summary, changes: !isReading(operation) };
}

/** Describes everything that a caller has to know about an operation. */
export function describe(operation: Operation) {
  const { contract, answer } = operation;
  return {
    ...summarize(operation),
    description: contract.description,
    needsCredential: !isOpen(contract.access),
    scopes: contract.access.scopes.filter((scope) => scope !== '$public'),
    inputSchema: plain(inputSchemaOf(operation)),
    ...(answer.schema !== undefined && { outputSchema: plain(answer.schema) }),
  };
}

/** Returns a schema without the keywords for internal use. */
export function plain(schema: object): JSONObject {
  return JSON.parse(JSON.stringify(schema, (key, value) => (isOwnWord(key) ? undefined : value)));
}

function isOwnWord(key: string): boolean {
  return key.startsWith('~') || ownWords.has(key);
}
