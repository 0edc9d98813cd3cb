import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadContext, Plugin } from '@docusaurus/types';
import { tagPath } from '../reference/addresses.ts';
import { findGuides } from '../reference/find-guides.ts';
import { modelOf, type TagModel } from '../reference/model.ts';
import type { ApiDocument } from '../reference/openapi.ts';
import type { Recorded } from '../reference/recorded.ts';

interface Content {
  document: ApiDocument;
  tags: TagModel[];
}

/** Makes one static page of every resource of the API, and an index of them, from the bundled OpenAPI description. */
export default function apiReference({ siteDir, baseUrl }: LoadContext): Plugin {
  const bundled = join(siteDir, '.generated/openapi.json');
  const address = (path: string) => `${baseUrl.replace(/\/$/, '')}${path}`;
  return {
    name: 'api-reference',
    loadContent: async (): Promise<Content> => {
      const document: ApiDocument = JSON.parse(readFileSync(bundled, 'utf8'));
      const recorded: Recorded = JSON.parse(readFileSync(join(siteDir, '.generated/examples.json'), 'utf8'));
      return { document, tags: modelOf(document, findGuides(siteDir), recorded) };
    },
    contentLoaded: async ({ content, actions }) => {
      // What loadContent answered.
      const { document, tags } = content as Content;
      actions.setGlobalData({ version: document.info.version });
      const menu = tags.map(({ name, operations }) => ({ name, count: operations.length }));
      const menuPath = await actions.createData('menu.json', JSON.stringify(menu));
      const index = {
        version: document.info.version,
        description: document.info.description,
        schemes: document.components.securitySchemes,
        tags: tags.map(({ name, description, operations }) => ({
          name,
          description,
          operations: operations.map(({ anchor, method, path, summary }) => ({ anchor, method, path, summary })),
        })),
      };
      actions.addRoute({
        path: address('/apis/'),
        component: '@site/src/reference/index-page.tsx',
        exact: true,
        modules: { index: await actions.createData('index.json', JSON.stringify(index)), menu: menuPath },
      });
      for (const tag of tags) {
        const data = await actions.createData(`tag-${tag.name}.json`, JSON.stringify(tag));
        actions.addRoute({
          path: address(tagPath(tag.name)),
          component: '@site/src/reference/tag-page.tsx',
          exact: true,
          modules: { tag: data, menu: menuPath },
        });
      }
    },
    postBuild: async ({ outDir }) => {
      mkdirSync(join(outDir, 'apis'), { recursive: true });
      copyFileSync(bundled, join(outDir, 'apis/openapi.json'));
    },
  };
}
