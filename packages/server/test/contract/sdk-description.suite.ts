import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, test } from 'node:test';
import { CollabLandClient } from '@collabland/sdk';
import { resources } from '@latchkey/core';
import { describeApi, type Resource } from '@latchkey/kernel';
import { listenLocally, seed } from '@latchkey/test-kit';
import { throwDice } from '../harness/dice.ts';
import { type Description, withPaths } from '../harness/sdk-description.ts';

/** The other suites give the SDK a shorter description, see harness/sdk-description.ts. */
export function descriptionSuite(pathsToRead: number): void {
  describe('contract: the description and the original SDK', () => {
    test('it parses operations as described, with all their errors', async () => {
      const some = pickPaths(pathsToRead);
      await using server = await serveText(JSON.stringify(some));
      const client = new CollabLandClient({}, server.url);
      const source = (await client.get('datasources.rest')) as { getService(): Promise<{ apis: object }> };
      const methods = Object.values((await source.getService()).apis).flatMap((api) => Object.keys(api));
      const described = Object.values(some.paths).flatMap((item) => Object.values(item));
      assert.deepEqual(
        described.filter(({ operationId }) => !methods.includes(operationId)),
        [],
      );
    });
  });
}

function pickPaths(count: number): Description {
  const text = JSON.stringify(describeApi(resources as readonly Resource[], { serverUrl: 'http://latchkey.example' }));
  const whole: Description = JSON.parse(text);
  const dice = throwDice(seed('what the SDK reads'));
  const drawn = Object.entries(whole.paths).map((entry) => ({ entry, place: dice.below(1_000_000) }));
  drawn.sort((one, other) => one.place - other.place);
  return withPaths(
    whole,
    drawn.slice(0, count).map(({ entry }) => entry),
  );
}

function serveText(text: string): ReturnType<typeof listenLocally> {
  return listenLocally(
    createServer((_request, response) => response.setHeader('content-type', 'application/json').end(text)),
  );
}
