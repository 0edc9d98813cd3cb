import type { Operation } from './operation.ts';
import { placeOf } from './operation.ts';

/** A call with its response, as it was recorded by a test. */
export interface RecordedCall {
  /** The path is filled in and percent-encoded; header and query values are texts, as they were sent. */
  request: { path: string; query?: Record<string, string>; headers?: Record<string, string>; body?: unknown };
  response: { body?: unknown };
}

/** Returns the recorded value of each parameter that was sent, in the type of its schema. */
export function parameterExamples(operation: Operation, { request }: RecordedCall): Map<string, unknown> {
  const inPath = pathValues(operation.path, request.path);
  const examples = new Map<string, unknown>();
  for (const [name, schema] of Object.entries(operation.params)) {
    const place = placeOf(operation, name, schema);
    const sent = { path: inPath, query: request.query, header: request.headers }[place]?.[name];
    if (sent !== undefined) examples.set(name, typed(sent, schema));
  }
  return examples;
}

/** Returns the recorded body; nothing for bodies that are described as their bytes. */
export function bodyExample({ body }: Operation, { request }: RecordedCall): { example?: unknown } {
  return body === undefined || body.kind === 'raw' || request.body === undefined ? {} : { example: request.body };
}

/** Returns the recorded response; nothing for one that is a JSON Schema, because tools resolve its references within the document. */
export function responseExample({ response: { body } }: RecordedCall): { example?: unknown } {
  return body === undefined || isSchema(body) ? {} : { example: body };
}

function isSchema(body: unknown): boolean {
  return typeof body === 'object' && body !== null && '$schema' in body;
}

function pathValues(template: string, path: string): Record<string, string> {
  const filled = path.split('/');
  return Object.fromEntries(
    template.split('/').flatMap((part, place) => {
      const [, name] = /^\{(\w+)\}$/.exec(part) ?? [];
      return name === undefined ? [] : [[name, decodeURIComponent(filled[place] ?? '')]];
    }),
  );
}

function typed(text: string, schema: object): unknown {
  const type = 'type' in schema ? schema.type : undefined;
  if (type === 'array') return [typed(text, ('items' in schema && (schema.items as object)) || {})];
  if (type === 'number' || type === 'integer') return Number(text);
  return type === 'boolean' ? text === 'true' : text;
}
