import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadContext, Plugin } from '@docusaurus/types';
import { operationPath, tagPath } from '../reference/addresses.ts';
import { splitResource } from '../reference/areas.ts';
import { findGuides } from '../reference/find-guides.ts';
import { type Arranged, arrange } from '../reference/groups.ts';
import { modelOf, type OperationModel, type Refusal, type TagModel } from '../reference/model.ts';
import type { ApiDocument } from '../reference/openapi.ts';
import type { OperationFacts } from '../reference/operation-facts.ts';
import type { Recorded } from '../reference/recorded.ts';
import { refusalsOf } from '../reference/refusals.ts';
import type { WebhookEvent } from '../reference/webhook-events.ts';

interface Content {
  document: ApiDocument;
  tags: Arranged<TagModel>[];
  events: WebhookEvent[];
}

/** Where the menu lists what is no resource: applications are what hears of events. */
const webhooksGroup = 'Build an application';

/** What lists show of a resource and its operations. */
export type ListedTag = ReturnType<typeof listed>;

function listed({ name, resource, title, group, description, operations }: Arranged<TagModel>) {
  return {
    name,
    resource,
    title,
    group,
    description,
    operations: operations.map(({ id, anchor, method, path, summary }) => ({ id, anchor, method, path, summary })),
  };
}

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
      const refusals: Record<string, Refusal> = JSON.parse(
        readFileSync(join(siteDir, '.generated/refusals.json'), 'utf8'),
      );
      const tags = modelOf(document, findGuides(siteDir), recorded).map((tag) => ({
        ...tag,
        operations: tag.operations.map((operation) => {
          const known = withFacts(operation, facts);
          return { ...known, refusals: refusalsOf(known, refusals) };
        }),
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
        tags: tags.map(listed),
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
        const tagData = await actions.createData(`tag-${tag.name}.json`, JSON.stringify(listed(tag)));
        actions.addRoute({
          path: address(tagPath(tag.name)),
          component: '@site/src/reference/tag-page.tsx',
          exact: true,
          modules: { tag: tagData, menu: menuPath },
        });
        for (const operation of tag.operations) {
          const data = await actions.createData(`operation-${operation.id}.json`, JSON.stringify(operation));
          actions.addRoute({
            path: address(operationPath(tag.resource, operation.id)),
            component: '@site/src/reference/operation-page.tsx',
            exact: true,
            modules: { operation: data, tag: tagData, menu: menuPath },
          });
        }
      }
      const areas = tags.filter(({ name, resource }) => name !== resource).map(listed);
      actions.addRoute({
        path: address(tagPath(splitResource)),
        component: '@site/src/reference/areas-page.tsx',
        exact: true,
        modules: { areas: await actions.createData('areas.json', JSON.stringify(areas)), menu: menuPath },
      });
    },
    postBuild: async ({ outDir }) => {
      mkdirSync(join(outDir, 'apis'), { recursive: true });
      copyFileSync(bundled, join(outDir, 'apis/openapi.json'));
    },
  };
}
