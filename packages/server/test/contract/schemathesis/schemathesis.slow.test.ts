import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { seedNumber, volume } from '@latchkey/test-kit';
import { aliceId } from '../../harness/identities.ts';
import { type ManyAddresses, startManyAddresses } from '../../harness/many-addresses.ts';
import type { Headers } from '../../harness/refused-credentials.ts';
import { openWorld, type World } from '../../harness/settle-world.ts';
import { behindProxy } from '../../harness/visit-server.ts';
import { exceptions } from './exceptions.ts';
import { type Finding, findSchemathesis, runSchemathesis } from './run.ts';

const program = findSchemathesis();
/** Its ordinary sibling, which needs no Python, is test/http/described.suite.ts. */
const examples = volume(0, 20);

const skip =
  program === undefined
    ? 'no Schemathesis: pip install schemathesis, or name its program in LATCHKEY_SCHEMATHESIS'
    : examples === 0 && 'for npm run test:deep';

/** Operations that end the very session which calls them. */
const endsTheCaller = ['endAllSessions', 'endSession'];
/** Streams, which go on for as long as somebody listens. */
const hasNoEnd = ['watchAccount', 'watchCommunity', 'watchServer'];

function isExcused({ type, operation }: Finding): boolean {
  return exceptions.some(
    ({ type: excused, operations }) => excused === type && (operations?.includes(operation) ?? true),
  );
}

describe('schemathesis', { skip }, () => {
  let world: World;
  let front: ManyAddresses;
  let folder: string;
  let callers: Record<string, Headers>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-schemathesis-'));
    world = await openWorld(behindProxy);
    front = await startManyAddresses(world.server.url);
    callers = {
      operator: { 'x-api-key': world.server.adminKey },
      user: { authorization: await world.server.aeToken(aliceId) },
      key: { 'x-api-key': (await world.server.apiKey(['$all'], aliceId)).key },
    };
  });
  after(async () => {
    await front?.[Symbol.asyncDispose]();
    await world?.server.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const caller of ['operator', 'user', 'key']) {
    test(`as ${caller} it finds nothing that is not excused with a reason`, async (t) => {
      const { findings, errors, cases, operations } = await runSchemathesis(program ?? '', {
        url: front.url,
        headers: callers[caller] ?? {},
        examples,
        seed: seedNumber(`schemathesis ${caller}`),
        leftOut: [...endsTheCaller, ...hasNoEnd],
        folder,
      });
      t.diagnostic(`${cases} cases of ${operations} operations`);
      assert.ok(operations > 200, `${operations} operations were tried`);
      assert.deepEqual(errors, []);
      const found = findings.filter((finding) => !isExcused(finding));
      assert.deepEqual(
        found.map(({ type, operation, title }) => `${type} at ${operation}: ${title}`),
        [],
      );
    });
  }
});
