import { commonTag, type IndexedPage } from '@latchkey/server/docs-search';
import { operationPath, tagPath } from '../reference/addresses.ts';
import { titleOf } from '../reference/groups.ts';
import type { WebhookEvent } from '../reference/webhook-events.ts';

interface DescribedOperation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
}

/** As much of an OpenAPI description as search needs. */
export interface DescribedApi {
  info: { description?: string };
  paths: Record<string, Record<string, DescribedOperation>>;
  tags?: { name: string; description?: string }[];
}

/** Where everything of the API reference is, for its way from the top. */
export const referenceCrumb = 'API reference';

/** The API reference: its first page, the page of every resource, every operation, and the events of webhooks. */
export function readOperations(
  { info, paths, tags = [] }: DescribedApi,
  events: readonly Pick<WebhookEvent, 'type' | 'meaning'>[] = [],
): IndexedPage[] {
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const used = new Set(described.map(({ operation }) => resourceOf(operation)));
  const resources = tags.filter(({ name }) => used.has(name)).map(readResource);
  const operations = described.map(({ method, path, operation }) => readOperation(method, path, operation));
  return [readIntroduction(info.description ?? ''), ...resources, ...operations, ...readEvents(events)];
}

/** The last tag is the resource; the others are names that existing clients know it by. */
function resourceOf({ tags = [] }: DescribedOperation): string {
  return tags.at(-1) ?? '';
}

function readEvents(events: readonly Pick<WebhookEvent, 'type' | 'meaning'>[]): IndexedPage[] {
  if (events.length === 0) return [];
  return [
    {
      kind: 'page',
      path: tagPath('webhooks'),
      title: 'Webhooks and events',
      crumbs: [referenceCrumb],
      language: 'en',
      tag: commonTag,
      sections: [
        { text: 'The events that webhooks bring, with payloads and how to check signatures.' },
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

function readResource({ name, description = '' }: { name: string; description?: string }): IndexedPage {
  return {
    kind: 'operation',
    path: tagPath(name),
    title: titleOf(name),
    crumbs: [referenceCrumb],
    language: 'en',
    tag: commonTag,
    // The name in the API is what programmers look for.
    sections: [{ text: `${plain(description)} ${tagPath(name)}`.trim() }],
  };
}

/** Markdown without its marks. */
function plain(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
