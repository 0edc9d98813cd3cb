import { commonTag, type IndexedPage } from '@latchkey/server/docs-search';
import { operationPath, tagPath } from '../reference/addresses.ts';
import { titleOf } from '../reference/groups.ts';
import { keywordsOf } from '../reference/resource-keywords.ts';
import type { WebhookEvent } from '../reference/webhook-events.ts';

interface Content {
  content?: Record<string, { schema?: Schema }>;
}

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

interface DescribedOperation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  'x-resource'?: string;
  parameters?: { name?: string }[];
  requestBody?: Content;
  responses?: Record<string, Content>;
}

/** The part of an OpenAPI description that search needs. */
export interface DescribedApi {
  info: { description?: string };
  paths: Record<string, Record<string, DescribedOperation>>;
  tags?: { name: string; description?: string }[];
  components?: { schemas?: Record<string, Schema> };
}

/** The breadcrumb of everything in the API reference. */
export const referenceCrumb = 'API reference';

/** Indexes the API reference: its first page, the page of every resource, every operation, and the webhook events. */
export function readOperations(
  { info, paths, tags = [], components = {} }: DescribedApi,
  events: readonly Pick<WebhookEvent, 'type' | 'meaning'>[] = [],
): IndexedPage[] {
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const tagOf = new Map(described.map(({ operation }) => [resourceOf(operation), operation.tags?.[0]]));
  const resources = [...tagOf].map(([name, tag]) =>
    readResource({ name, description: tags.find((one) => one.name === tag)?.description ?? '' }),
  );
  const operations = described.map(({ method, path, operation }) => ({
    ...readOperation(method, path, operation),
    fields: fieldsOf(operation, components.schemas ?? {}),
  }));
  return [readIntroduction(info.description ?? ''), ...resources, ...operations, ...readEvents(events)];
}

function resourceOf({ tags = [], 'x-resource': name = tags[0] }: DescribedOperation): string {
  return name ?? '';
}

function readEvents(events: readonly Pick<WebhookEvent, 'type' | 'meaning'>[]): IndexedPage[] {
  if (events.length === 0) return [];
  return [
    {
      kind: 'page',
      path: tagPath('webhooks'),
      title: 'Webhooks and events',
      keywords: keywordsOf('webhooks'),
      crumbs: [referenceCrumb],
      language: 'en',
      tag: commonTag,
      sections: [
        { text: 'The events that webhooks send, with payloads and how to check signatures.' },
        ...events.map(({ type, meaning }) => ({ heading: type, anchor: `event/${type}`, text: meaning })),
      ],
    },
  ];
}

function readIntroduction(description: string): IndexedPage {
  return {
    kind: 'page',
    path: '/apis/',
    title: referenceCrumb,
    crumbs: [],
    language: 'en',
    tag: commonTag,
    sections: [{ text: plain(description) }],
  };
}

function readOperation(method: string, path: string, operation: DescribedOperation): IndexedPage {
  const { operationId, summary = operationId, description = '' } = operation;
  const resource = resourceOf(operation);
  return {
    kind: 'operation',
    path: operationPath(resource, operationId),
    title: summary,
    crumbs: [referenceCrumb, titleOf(resource)],
    language: 'en',
    tag: commonTag,
    call: `${method} ${path}`,
    operationId,
    sections: [{ text: plain(description) }],
  };
}

/** How deep fields are indexed: readers search for those that they see, which are near the top. */
const depthOfFields = 4;

/** Returns the names of the parameters, and of the fields of the body and of the successful response, each once. */
function fieldsOf(
  { parameters = [], requestBody, responses = {} }: DescribedOperation,
  schemas: Readonly<Record<string, Schema>>,
): string[] {
  const names = new Set(parameters.flatMap(({ name }) => name ?? []));
  const take = (schema: Schema | undefined, depth: number): void => {
    if (schema === undefined || depth === 0) return;
    const { $ref, properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema;
    if ($ref !== undefined) take(schemas[$ref.slice($ref.lastIndexOf('/') + 1)], depth);
    for (const [name, field] of Object.entries(properties)) {
      names.add(name);
      take(field, depth - 1);
    }
    for (const part of [items, ...anyOf, ...oneOf, ...allOf]) take(part, depth);
  };
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  for (const { content = {} } of [requestBody ?? {}, ...successes.map(([, response]) => response)])
    for (const { schema } of Object.values(content)) take(schema, depthOfFields);
  // Plain words are on every page; readers search for camel-case names.
  return [...names].filter((name) => /\p{Ll}\p{Lu}/u.test(name));
}

function readResource({ name, description }: { name: string; description: string }): IndexedPage {
  return {
    kind: 'operation',
    path: tagPath(name),
    title: titleOf(name),
    keywords: keywordsOf(name),
    crumbs: [referenceCrumb],
    language: 'en',
    tag: commonTag,
    // The name in the API is what developers search for.
    sections: [{ text: `${plain(description)} ${tagPath(name)}`.trim() }],
  };
}

/** Returns Markdown without its markup. */
function plain(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
