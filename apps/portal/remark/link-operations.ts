import { readFileSync } from 'node:fs';
import { operationPath } from '../reference/addresses.ts';
import { type ApiDocument, listOperations, resourceOf } from '../reference/openapi.ts';
import { type Node, replaceNodes } from './tree.ts';

/** Where each operation is described, by its method and path. */
export function readOperationPaths(): ReadonlyMap<string, string> {
  const text = readFileSync(new URL('../.generated/openapi.json', import.meta.url), 'utf8');
  const document: ApiDocument = JSON.parse(text);
  return new Map(
    listOperations(document).map(({ method, path, described }) => [
      `${method} ${path}`,
      operationPath(resourceOf(described), described.operationId),
    ]),
  );
}

const looksLikeOperation = /^(?:GET|POST|PUT|PATCH|DELETE) \/[^\s?]*$/;

/** Makes links of inline code such as `GET /config`. An operation that is not there fails the build. */
export default function linkOperations() {
  let known: ReadonlyMap<string, string> | undefined;
  return (tree: Node) => {
    replaceNodes(tree, (node, parent) => {
      if (node.type === 'link' || node.type === 'heading') return [node];
      if (node.type !== 'inlineCode' || !looksLikeOperation.test(node.value ?? '') || parent.type === 'link')
        return undefined;
      known ??= readOperationPaths();
      const url = known.get(node.value ?? '');
      if (url === undefined) throw new Error(`There is no operation ${node.value}.`);
      return [{ type: 'link', url, children: [node] }];
    });
  };
}
