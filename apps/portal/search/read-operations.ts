import { operationPath, tagPath } from '../reference/addresses.ts';
import { commonTag, type IndexedPage } from '@latchkey/server/docs-search';

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

/** The API reference: its first page, the page of every resource, and every operation. */
export function readOperations({ info, paths, tags = [] }: DescribedApi): IndexedPage[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => readOperation(method.toUpperCase(), path, operation)),
  );
  const used = new Set(operations.map(({ crumbs }) => crumbs.at(-1)));
  const resources = tags.filter(({ name }) => used.has(name)).map(readResource);
  return [readIntroduction(info.description ?? ''), ...resources, ...operations];
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
  const { operationId, summary = operationId, description = '', tags = [] } = operation;
  // The last tag is the resource; the others are names that existing clients know it by.
  const resource = tags.at(-1) ?? '';
  return {
    kind: 'operation',
    path: operationPath(resource, operationId),
    title: summary,
    crumbs: [referenceCrumb, resource],
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
    title: name,
    crumbs: [referenceCrumb],
    language: 'en',
    tag: commonTag,
    sections: [{ text: plain(description) }],
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
