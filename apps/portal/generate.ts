/** Writes what the pages know of the software into `.generated`: its facts, its OpenAPI description, recorded calls, and what else is known of operations. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resources } from '@latchkey/core';
import { describeApi, type Resource } from '@latchkey/kernel';
import { readExamples, readPlaygroundStories } from '@latchkey/server/examples';
import { collectFacts } from './facts/collect.ts';
import { ruleFacts } from './facts/rule-kinds.ts';
import { factsOf } from './reference/operation-facts.ts';
import { readRefusals } from './reference/read-refusals.ts';
import { webhookEvents } from './reference/webhook-events.ts';

/** The address in the bundled description. The page shows the reader's own server instead once it knows it. */
const exampleServer = 'http://127.0.0.1:3000';

const folder = join(import.meta.dirname, '.generated');
mkdirSync(folder, { recursive: true });
const write = (name: string, value: unknown) =>
  writeFileSync(join(folder, name), `${JSON.stringify(value, null, 1)}\n`);
write('facts.json', await collectFacts());
const examples = readExamples();
const api = describeApi(resources, { serverUrl: exampleServer, examples });
write('openapi.json', api);
write('rule-kinds.json', ruleFacts(api));
write('webhook-events.json', webhookEvents());
write('refusals.json', readRefusals());
write('examples.json', examples);
write('playground.json', readPlaygroundStories());
const operations = (resources as readonly Resource[]).flatMap((resource) => resource.operations);
write('operation-facts.json', Object.fromEntries(operations.map((operation) => [operation.route, factsOf(operation)])));
