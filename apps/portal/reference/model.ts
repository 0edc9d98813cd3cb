import { isObject } from '../src/is-object.ts';
import { operationAnchor } from './addresses.ts';
import { areaOf } from './areas.ts';
import { type Field, listFields, typeName } from './fields.ts';
import { type ApiDocument, type Described, listOperations, resourceOf, type Schema } from './openapi.ts';
import type { OperationFacts } from './operation-facts.ts';
import { type OwnList, ownListsOf } from './own-lists.ts';
import type { Recorded } from './recorded.ts';
import { type SentFirst, sentFirst } from './sent-first.ts';

export interface ParameterRow extends Field {
  in: 'path' | 'query' | 'header';
}

export interface Answer {
  status: string;
  /** The type as a whole, such as `object[]`; empty for a response without content. */
  type: string;
  text: string;
  fields: Field[];
}

export interface OperationModel {
  id: string;
  anchor: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  /** The scopes of a token, of which one is enough. Empty for public operations. */
  scopes: string[];
  isOpen: boolean;
  /** Whether it goes beyond the published API. */
  isOwn: boolean;
  /** The accepted kinds of credential; empty if it needs none. */
  credentials: string[];
  parameters: ParameterRow[];
  body: { type: string; required: boolean; fields: Field[]; example: unknown } | undefined;
  answer: Answer;
  errors: string[];
  /** Whether it accepts an Idempotency-Key. */
  isRepeatable: boolean;
  guides: { path: string; title: string }[];
  /** Where the reader's server lists what the operation's ids can be; left out if nowhere. */
  lists?: OwnList[];
  /** The operation that creates what this one needs; left out if it needs nothing of the kind. */
  first?: SentFirst;
  /** A recorded call. */
  example: Recorded[string] | undefined;
  /** Recorded refusals; only on pages. */
  refusals?: Refusal[];
  /** What the code knows besides the description; only if the pages were built from that code. */
  facts?: OperationFacts;
}

/** An error code as a page shows it: its cause, its cure and a recorded body. */
export interface Refusal {
  code: string;
  status: number;
  meaning: string;
  advice: string;
  body: unknown;
  /** The operation that responded with it, unless it is the one of the page. */
  route?: string;
}

export interface TagModel {
  name: string;
  /** The first part of the addresses of its operations: areas of a resource share it. */
  resource: string;
  description: string;
  operations: OperationModel[];
}

export type Guides = ReadonlyMap<string, { path: string; title: string }[]>;

/** The description of responses that need no more than their fields. */
const plainResponse = 'The response.';

/** Returns the description as the pages show it: operations by resource, schemas as rows. */
export function modelOf(document: ApiDocument, guides: Guides, recorded: Recorded = {}): TagModel[] {
  const tags = new Map<string, TagModel>();
  for (const { method, path, described } of listOperations(document)) {
    const resource = resourceOf(described);
    const name = areaOf(resource, path);
    const description = document.tags?.find((tag) => tag.name === described.tags?.[0])?.description ?? '';
    const tag = tags.get(name) ?? { name, resource, description, operations: [] };
    tag.operations.push(operationOf(document, { method, path, described }, guides, recorded[`${method} ${path}`]));
    tags.set(name, tag);
  }
  return [...tags.values()];
}

function operationOf(
  document: ApiDocument,
  { method, path, described }: { method: string; path: string; described: Described },
  guides: Guides,
  recorded: Recorded[string] | undefined,
): OperationModel {
  const [status = '200', success] = Object.entries(described.responses).find(([code]) => /^[23]/.test(code)) ?? [];
  const credentials = described['x-credentials'] ?? [];
  const parametersOf = (place: string) =>
    (described.parameters ?? []).flatMap((parameter) => (parameter.in === place ? parameter.name : []));
  const sent = isObject(recorded?.request.body) ? Object.keys(recorded.request.body) : [];
  const lists = ownListsOf(document, { method, path, query: parametersOf('query'), fields: sent });
  const first = sentFirst(document, `${method} ${path}`, lists);
  const scopes = (described.security ?? []).flatMap((requirement) => Object.values(requirement).flat());
  // Signed-in users need no scope: the scopes for tokens of the operator's applications do not apply to them.
  const isForPeople = credentials.includes('session') && !credentials.some((kind) => kind.endsWith('-token'));
  return {
    id: described.operationId,
    anchor: operationAnchor(resourceOf(described), described.operationId),
    method,
    path,
    summary: described.summary ?? '',
    description: described.description ?? '',
    scopes: isForPeople ? [] : [...new Set(scopes)],
    isOpen: described.security === undefined || described.security.some((one) => Object.keys(one).length === 0),
    isOwn: path.startsWith('/latchkey/'),
    credentials,
    parameters: (described.parameters ?? []).map((parameter) => {
      const wrapped = { type: 'object', properties: { [parameter.name]: parameter.schema ?? {} } };
      const [field] = listFields(document, wrapped);
      return {
        name: parameter.name,
        in: parameter.in,
        depth: 0,
        type: field?.type ?? 'string',
        required: parameter.required ?? false,
        text: [parameter.description ?? '', field?.text ?? ''].filter((part) => part !== '').join(' '),
      };
    }),
    body: bodyOf(document, described, recorded),
    answer: {
      status,
      text: success?.description === plainResponse ? '' : (success?.description ?? ''),
      type: typeName(document, Object.values(success?.content ?? {})[0]?.schema),
      fields: listFields(document, Object.values(success?.content ?? {})[0]?.schema),
    },
    errors: (described['x-error-statuses'] ?? []).map(String),
    isRepeatable: described['x-idempotency-key'] === true,
    guides: guides.get(`${method} ${path}`) ?? [],
    ...(lists.length > 0 && { lists }),
    ...(first && { first }),
    example: recorded,
  };
}

function bodyOf(
  document: ApiDocument,
  { requestBody }: Described,
  recorded: Recorded[string] | undefined,
): OperationModel['body'] {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === undefined) return undefined;
  return {
    type,
    required: requestBody?.required ?? false,
    fields: listFields(document, content?.schema),
    example: recorded ? recorded.request.body : exampleOf(document, content?.schema),
  };
}

const deepest = 5;

/** Returns an example value of a schema: the required fields, with values that show their type. */
function exampleOf(document: ApiDocument, schema: Schema | undefined): unknown {
  return schema === undefined ? undefined : sampleOf(document, schema, 0);
}

function sampleOf(document: ApiDocument, schema: Schema, depth: number): unknown {
  if (depth > deepest) return null;
  if (schema.$ref !== undefined)
    return sampleOf(document, document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, depth + 1);
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf?.[0] !== undefined) return sampleOf(document, schema.anyOf[0], depth + 1);
  switch ([schema.type].flat()[0]) {
    case 'array':
      return schema.items === undefined ? [] : [sampleOf(document, schema.items, depth + 1)];
    case 'number':
    case 'integer':
      return schema.minimum ?? 0;
    case 'boolean':
      return false;
    case 'string':
      return 'string';
    default:
      return objectOf(document, schema, depth);
  }
}

/** Returns the required fields; if there are none, the first few. */
function objectOf(document: ApiDocument, { properties = {}, required = [] }: Schema, depth: number): object {
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 4);
  return Object.fromEntries(
    names.flatMap((name) => {
      const field = properties[name];
      return field === undefined ? [] : [[name, sampleOf(document, field, depth + 1)]];
    }),
  );
}
