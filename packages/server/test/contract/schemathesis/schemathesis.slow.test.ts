import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { seed, seedNumber, volume } from '@latchkey/test-kit';
import { aliceId } from '../../harness/identities.ts';
import { type ManyAddresses, startManyAddresses } from '../../harness/many-addresses.ts';
import type { Headers } from '../../harness/refused-credentials.ts';
import { served } from '../../harness/served.ts';
import { openWorld, type World } from '../../harness/set-up-world.ts';
import { behindProxy } from '../../harness/visit-server.ts';
import { exceptions } from './exceptions.ts';
import { type Finding, findSchemathesis, type Report, runSchemathesis, type Wanted } from './run.ts';
import { writeSettings } from './write-settings.ts';

const program = findSchemathesis();
/** test/http/described.suite.ts covers the same in every run, without Python. */
const examples = volume(0, 20);

const skip =
  program === undefined
    ? 'no Schemathesis: pip install schemathesis, or name its program in LATCHKEY_SCHEMATHESIS'
    : examples === 0 && 'for npm run test:deep';

/** Operations that end the calling session or the whole account, so they come last. */
const endsTheCaller = ['endAllSessions', 'endSession', 'eraseMyAccount'];

function isExcused({ type, operation, message }: Finding): boolean {
  return exceptions.some(
    (excused) =>
      excused.type === type &&
      (excused.operations?.includes(operation) ?? true) &&
      (excused.message?.test(message) ?? true),
  );
}

function successesAmong(answers: ReadonlyMap<number, number>): number {
  return [...answers].reduce((sum, [status, count]) => (status < 400 ? sum + count : sum), 0);
}

describe('schemathesis', { skip }, () => {
  let world: World;
  let front: ManyAddresses;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-schemathesis-'));
    world = await openWorld(behindProxy);
    front = await startManyAddresses(world.server.url);
  });
  after(async () => {
    await front?.[Symbol.asyncDispose]();
    await world?.server.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Created for each run: the requests of one caller may have ended the credentials of another. */
  const credentialOf = {
    operator: async (): Promise<Headers> => ({ 'x-api-key': world.server.adminKey }),
    user: async (): Promise<Headers> => ({ authorization: await world.server.aeToken(aliceId) }),
    key: async (): Promise<Headers> => ({ 'x-api-key': (await world.server.apiKey(['$all'], aliceId)).key }),
  };
  type Caller = keyof typeof credentialOf;

  const run = (caller: Caller, headers: Headers, operations: Wanted['operations']) =>
    runSchemathesis(program ?? '', {
      url: front.url,
      headers,
      examples,
      seed: seedNumber(`schemathesis ${caller}`),
      operations,
      settings: writeSettings(served, world.samples, seed(`schemathesis ${caller}`)),
      folder,
    });

  function assertNothingIn({ findings, errors }: Report): void {
    assert.deepEqual(errors, []);
    const found = findings.filter((finding) => !isExcused(finding));
    assert.deepEqual(
      found.map(({ type, operation, title, message }) => `${type} at ${operation}: ${title}. ${message}`),
      [],
    );
  }

  for (const caller of ['operator', 'user', 'key'] as const) {
    test(`as ${caller} it finds nothing without a documented exception`, async (t) => {
      front.countAnswers();
      const headers = await credentialOf[caller]();
      const report = await run(caller, headers, { without: endsTheCaller });
      const answers = front.countAnswers();
      t.diagnostic(
        `${report.cases} cases: ${[...answers].map(([status, times]) => `${times} × ${status}`).join(', ')}`,
      );
      assert.equal(report.operations, served.length - endsTheCaller.length);
      assertNothingIn(report);
      assert.ok(successesAmong(answers) > served.length, 'hardly any request succeeded');
      const { status } = await world.server.request('GET', '/account/me', { headers });
      assert.notEqual(status, 401, 'one of the requests ended the caller, so the later ones tested nothing');
    });
  }

  test('it finds nothing in operations that end the caller’s session', async () => {
    for (const caller of ['operator', 'key', 'user'] as const) {
      const report = await run(caller, await credentialOf[caller](), { only: endsTheCaller });
      assert.equal(report.operations, endsTheCaller.length);
      assertNothingIn(report);
    }
  });
});
