import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadContext, Plugin } from '@docusaurus/types';
import { tagPath } from '../reference/addresses.ts';
import { findGuides } from '../reference/find-guides.ts';
import { type Arranged, arrange } from '../reference/groups.ts';
import { modelOf, type OperationModel, type TagModel } from '../reference/model.ts';
import type { ApiDocument } from '../reference/openapi.ts';
import type { OperationFacts } from '../reference/operation-facts.ts';
import type { Recorded } from '../reference/recorded.ts';
import type { WebhookEvent } from '../reference/webhook-events.ts';

interface Content {
  document: ApiDocument;
  tags: Arranged<TagModel>[];
  events: WebhookEvent[];
}

/** Where the menu lists what is no resource: applications are what hears of events. */
const webhooksGroup = 'Build an application';

function withFacts(operation: OperationModel, all: Record<string, OperationFacts>): OperationModel {
  const facts = all[`${operation.method} ${operation.path}`];
  return facts === undefined ? operation : { ...operation, facts };
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
      const facts: Record<string, OperationFacts> = JSON.parse(
        readFileSync(join(siteDir, '.generated/operation-facts.json'), 'utf8'),
      );
      const tags = modelOf(document, findGuides(siteDir), recorded).map((tag) => ({
        ...tag,
        operations: tag.operations.map((operation) => withFacts(operation, facts)),
      }));
      const events: WebhookEvent[] = JSON.parse(readFileSync(join(siteDir, '.generated/webhook-events.json'), 'utf8'));
      return { document, tags: arrange(tags), events };
    },
    contentLoaded: async ({ content, actions }) => {
      // What loadContent answered.
      const { document, tags, events } = content as Content;
      actions.setGlobalData({ version: document.info.version });
      const menu = tags.map(({ name, title, group, operations }) => ({ name, title, group, count: operations.length }));
      const webhooks = { name: 'webhooks', title: 'Webhooks and events', group: webhooksGroup, count: events.length };
      menu.splice(menu.findLastIndex(({ group }) => group === webhooksGroup) + 1, 0, webhooks);
      const menuPath = await actions.createData('menu.json', JSON.stringify(menu));
      const index = {
        version: document.info.version,
        description: document.info.description,
        schemes: document.components.securitySchemes,
        tags: tags.map(({ name, title, group, description, operations }) => ({
          name,
          title,
          group,
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
      actions.addRoute({
        path: address(tagPath('webhooks')),
        component: '@site/src/reference/webhooks-page.tsx',
        exact: true,
        modules: { events: await actions.createData('webhooks.json', JSON.stringify(events)), menu: menuPath },
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
