/** How long the SDK of existing clients takes to connect, against the same document without error responses in the same run. */
import { createServer } from 'node:http';
import { CollabLandClient } from '@collabland/sdk';
import { resources } from '@latchkey/core';
import { describeApi, type Resource } from '@latchkey/kernel';
import { readExamples } from '@latchkey/server/examples';
import { listenLocally } from '@latchkey/test-kit';
import { expectBaseline } from './baseline.ts';
import { expectPromised } from './promise.ts';

const rounds = 5;
const promisedMs = 3_000;
/** On a machine that is busy or slow the seconds say little: the error responses may then cost this many times the rest. */
const mostTimes = 2;

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
}

function describe(serverUrl: string): Document {
  const options = { serverUrl, part: 'published', examples: readExamples() } as const;
  return JSON.parse(JSON.stringify(describeApi(resources as readonly unknown[] as readonly Resource[], options)));
}

function withoutErrors(document: Document): Document {
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item)))
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses).filter(([status]) => /^[23]/.test(status)),
    );
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  expectBaseline(
    operations.length > 200 && operations.every(({ responses }) => Object.keys(responses).length > 0),
    'The document without error responses describes nothing.',
  );
  return document;
}

async function connectTo(change: (document: Document) => Document): Promise<number> {
  let text = '';
  await using server = await listenLocally(
    createServer((_request, response) => response.setHeader('content-type', 'application/json').end(text)),
  );
  text = JSON.stringify(change(describe(server.url)));
  const startedAt = performance.now();
  await new CollabLandClient({ apiKey: 'bench.bench' }, server.url).connect();
  return performance.now() - startedAt;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const whole: number[] = [];
const bare: number[] = [];
// Alternating, so that the load of the machine is the same for both.
for (let round = 0; round < rounds; round += 1) {
  whole.push(await connectTo((document) => document));
  bare.push(await connectTo(withoutErrors));
}
const [ours, theirs] = [median(whole), median(bare)];
expectPromised(
  ours <= promisedMs,
  `connecting the SDK: ${Math.round(ours)} ms, median of ${rounds}, promised ${promisedMs} ms`,
);
expectPromised(
  ours <= mostTimes * theirs,
  `${(ours / theirs).toFixed(2)} times the same document without error responses (${Math.round(theirs)} ms), promised at most ${mostTimes} times`,
);
process.exit();
