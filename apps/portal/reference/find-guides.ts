import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { guideFolders } from '../config/page-folders.ts';
import { readPage, routeOfFile } from '../pages/read-page.ts';

/** Finds the pages that mention an operation, by its method and path. */
export function findGuides(root: string): Map<string, { path: string; title: string }[]> {
  const guides = new Map<string, { path: string; title: string }[]>();
  for (const folder of guideFolders) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).sort()) {
      if (!/\.mdx?$/.test(name)) continue;
      const { file, frontMatter, body } = readPage(join(root, folder, name), root);
      const path = routeOfFile(file, frontMatter);
      if (path === undefined || frontMatter.title === undefined) continue;
      for (const route of new Set(
        [...body.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^`\s]*)`/g)].map(([, it]) => it),
      )) {
        if (route !== undefined) guides.set(route, [...(guides.get(route) ?? []), { path, title: frontMatter.title }]);
      }
    }
  }
  return guides;
}
