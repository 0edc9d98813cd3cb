import type { Field } from './fields.ts';
import { modelOf, type OperationModel } from './model.ts';
import { type ApiDocument, listOperations } from './openapi.ts';

/** An operation that a server describes differently from the pages. */
export interface OperationChange {
  kind: 'new' | 'gone' | 'changed';
  /** Its id on the pages, or the server's id if the pages do not have it. */
  id: string;
  tag: string;
  method: string;
  path: string;
  summary: string;
  /** What changed, one sentence each. Code is between backquotes. */
  words: string[];
}

/** Returns the differences, by method and path. The server's URL does not count as a difference. */
export function compareDescriptions(bundled: ApiDocument, live: ApiDocument): OperationChange[] {
  const [before, after] = [spell(bundled), spell(live)];
  const schemas = new Set(
    [...before.schemas.keys(), ...after.schemas.keys()].filter(
      (name) => before.schemas.get(name) !== after.schemas.get(name),
    ),
  );
  const isSame = (route: string) =>
    before.operations.get(route) === after.operations.get(route) &&
    !leadsTo(before, before.operations.get(route) ?? '', schemas);
  const [old, current] = [
    modelByRoute(bundled, (route) => !after.operations.has(route) || !isSame(route)),
    modelByRoute(live, (route) => !before.operations.has(route) || !isSame(route)),
  ];
  const changes = [...old].map(([route, known]) => {
    const now = current.get(route);
    return now === undefined
      ? change('gone', known)
      : change('changed', known, describeChange(known.operation, now.operation));
  });
  const added = [...current].flatMap(([route, known]) => (old.has(route) ? [] : [change('new', known)]));
  return [...changes, ...added];
}

interface Known {
  tag: string;
  operation: OperationModel;
}

function change(kind: OperationChange['kind'], { tag, operation }: Known, words: string[] = []): OperationChange {
  const { id, method, path, summary } = operation;
  return { kind, id, tag, method, path, summary, words };
}

/** The operations and schemas of a description, each as one text without the server's URL. */
interface Spelled {
  operations: ReadonlyMap<string, string>;
  schemas: ReadonlyMap<string, string>;
}

function spell(document: ApiDocument): Spelled {
  const addresses = addressesOf(document);
  // Two recordings of the same operation differ.
  const readable = (key: string, part: unknown) =>
    key === 'example' ? undefined : isPlain(part) ? sortKeys(part) : part;
  const textOf = (value: unknown) => dropAll(JSON.stringify(value, readable), addresses);
  return {
    operations: new Map(
      listOperations(document).map(({ method, path, described }) => [
        `${method} ${path}`,
        textOf({ ...described, operationId: '' }),
      ]),
    ),
    schemas: new Map(Object.entries(document.components.schemas).map(([name, schema]) => [name, textOf(schema)])),
  };
}

/** Whether a text refers to one of these schemas, directly or through others. */
function leadsTo({ schemas }: Spelled, text: string, wanted: ReadonlySet<string>): boolean {
  const seen = new Set<string>();
  const waiting = [text];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [, name = ''] of next.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (wanted.has(name)) return true;
      if (!seen.has(name)) waiting.push(schemas.get(name) ?? '');
      seen.add(name);
    }
  }
  return false;
}

/** Returns the requested operations, as the pages show them. */
function modelByRoute(document: ApiDocument, isWanted: (route: string) => boolean): Map<string, Known> {
  const paths: ApiDocument['paths'] = {};
  for (const { method, path, described } of listOperations(document)) {
    if (isWanted(`${method} ${path}`)) paths[path] = { ...paths[path], [method.toLowerCase()]: described };
  }
  if (Object.keys(paths).length === 0) return new Map();
  const request: ApiDocument = JSON.parse(dropAll(JSON.stringify({ ...document, paths }), addressesOf(document)));
  return new Map(
    modelOf(request, new Map()).flatMap(({ name, operations }) =>
      operations.map((operation) => [`${operation.method} ${operation.path}`, { tag: name, operation }] as const),
    ),
  );
}

function addressesOf({ servers = [] }: ApiDocument): string[] {
  return servers.map(({ url }) => url).filter((url) => /^https?:\/\/./.test(url));
}

function dropAll(text: string, parts: readonly string[]): string {
  return parts.reduce((rest, part) => rest.replaceAll(part, ''), text);
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sortKeys(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Describes what changed about an operation, one sentence each. Code is between backquotes. */
function describeChange(before: OperationModel, after: OperationModel): string[] {
  const words = [
    ...describeAccess(before, after),
    ...describeFields('the parameter', before.parameters, after.parameters),
    ...describeBody(before.body, after.body),
    ...describeFields('the field of the answer', before.answer.fields, after.answer.fields),
    ...(before.answer.status === after.answer.status
      ? []
      : [`Answers with ${after.answer.status} instead of ${before.answer.status}.`]),
    ...listed('May also fail with', missingFrom(before.errors, after.errors)),
    ...listed('No longer fails with', missingFrom(after.errors, before.errors)),
    ...(before.summary === after.summary && before.description === after.description
      ? []
      : [`Is described as: ${after.summary} ${after.description}`.trim()]),
  ];
  return words.length > 0 ? words : ['Details of its schemas differ that the tables do not show.'];
}

function describeAccess(before: OperationModel, after: OperationModel): string[] {
  if (before.isOpen !== after.isOpen) return [after.isOpen ? 'Needs no credential now.' : 'Needs a credential now.'];
  const [was, is] = [before, after].map(({ scopes }) => scopes.map((scope) => `\`${scope}\``).join(' or ') || 'none');
  return was === is ? [] : [`The scope is ${is} instead of ${was}.`];
}

function describeBody(before: OperationModel['body'], after: OperationModel['body']): string[] {
  if (after === undefined) return before === undefined ? [] : ['Takes no body any more.'];
  if (before === undefined) return [`Takes a body now, as ${after.type}.`];
  return [
    ...(before.type === after.type ? [] : [`The body is ${after.type} instead of ${before.type}.`]),
    ...(before.required === after.required
      ? []
      : [`The body ${after.required ? 'is needed' : 'may be left out'} now.`]),
    ...describeFields('the field of the body', before.fields, after.fields),
  ];
}

function describeFields(what: string, before: readonly Field[], after: readonly Field[]): string[] {
  const [old, current] = [byPlace(before), byPlace(after)];
  const added = [...current].filter(([place]) => !old.has(place));
  const gone = [...old].filter(([place]) => !current.has(place));
  const kept = [...current].flatMap(([place, field]) => {
    const was = old.get(place);
    return was === undefined ? [] : describeField(`${capital(what)} \`${place}\``, was, field);
  });
  return [
    ...added.map(([place, { required }]) => `Has ${what} \`${place}\` now${required ? ', which is required' : ''}.`),
    ...gone.map(([place]) => `Has no longer ${what} \`${place}\`.`),
    ...kept,
  ];
}

function describeField(subject: string, before: Field, after: Field): string[] {
  return [
    ...(before.type === after.type ? [] : [`${subject} is ${after.type} instead of ${before.type}.`]),
    ...(before.required === after.required ? [] : [`${subject} is ${after.required ? 'required' : 'optional'} now.`]),
    ...(before.text === after.text
      ? []
      : [`${subject} is described as: ${after.text === '' ? 'nothing' : after.text}`]),
  ];
}

function byPlace(fields: readonly Field[]): Map<string, Field> {
  const above: string[] = [];
  return new Map(
    fields.map((field) => {
      above.length = field.depth;
      above.push(field.name);
      return [above.join('.'), field];
    }),
  );
}

function listed(words: string, entries: readonly string[]): string[] {
  return entries.length === 0 ? [] : [`${words} ${entries.join(', ')}.`];
}

function missingFrom(some: readonly string[], others: readonly string[]): string[] {
  return others.filter((entry) => !some.includes(entry));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
