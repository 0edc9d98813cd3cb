import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { resources } from '@latchkey/core';
import { describeApi } from '@latchkey/kernel';
import { readExamples } from '@latchkey/server/examples';
import { freePorts, makeDataFolder, startLatchkey } from '@latchkey/server/testing/processes';
import { takeSome, volume } from '@latchkey/test-kit';
import { modelOf, type OperationModel } from '../reference/model.ts';
import { readDescription } from '../reference/read-description.ts';
import { sampleCommunity } from '../src/reference/samples/own-values.ts';
import { type Credential, storeFor } from '../src/reference/try-it/credential.ts';
import { pressSend } from './press-send.ts';
import { ranLast, refusedSamples } from './refused-samples.ts';
import { signInAsOwner } from './sign-in-as-owner.ts';
import { siteForSuite, withoutBrowser } from './site.ts';

const owner = 'DIS#USER#200000000000000000';
const personOnTelegram = 'TEL#USER#500000001';
const isDeep = volume(0, 1) === 1;
/** Without the deep run, only some reads that need nothing else, other ones each time. */
const readsPressed = 12;
/** The aim is 5 %. Most of the rest needs a wallet, a phone or another server, or works once. */
const mostListed = 0.12;
/** A sign-in counts as recent for ten minutes. */
const renewedMs = 8 * 60_000;
const endsSession = /^DELETE \/latchkey\/(?:session|account\/sessions)/;

/** As a reader goes through a resource: create, read, change, delete. What stands in the way of the others is last. */
function inOrder(operations: readonly OperationModel[]): OperationModel[] {
  const ranks = ['POST', 'PUT', 'GET', 'PATCH', 'DELETE'];
  const depth = ({ path }: OperationModel) => path.split('/').length;
  const placeOf = (operation: OperationModel): number[] => [
    ranLast.indexOf(routeOf(operation)),
    ranks.indexOf(operation.method),
    // A decision of the operator follows what it is about.
    Number(operation.path.startsWith('/latchkey/operator/')),
    operation.method === 'DELETE' ? -depth(operation) : depth(operation),
  ];
  const compare = (one: number[], other: number[]): number =>
    one.map((value, index) => value - (other[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
  return operations.toSorted((one, other) => compare(placeOf(one), placeOf(other)));
}

function routeOf({ method, path }: OperationModel): string {
  return `${method} ${path}`;
}

function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

describe('pressing Send on a new server', { skip: withoutBrowser }, () => {
  const site = siteForSuite();
  const rest = new AsyncDisposableStack();
  let url = '';
  let run: (...words: string[]) => Promise<string>;
  let operations: OperationModel[];
  let credentials: Record<'session' | 'operatorKey' | 'appKey' | 'application' | 'telegram', Credential>;
  let signedInMs = 0;

  before(async () => {
    const data = rest.use(await makeDataFolder());
    // The simulators take the ports from the last one on.
    const [port, mailPort, sandboxPort] = [await freePorts(), await freePorts(), await freePorts()];
    const environment = {
      LATCHKEY_DATA_DIR: data.path,
      LATCHKEY_PORT: String(port),
      LATCHKEY_PORTAL: 'false',
      // Its pages may then send to this server.
      LATCHKEY_PORTAL_URL: site.url,
      LATCHKEY_MAIL_CATCHER_PORT: String(mailPort),
      LATCHKEY_SANDBOX: 'true',
      LATCHKEY_SANDBOX_PORT: String(sandboxPort),
    };
    const latchkey = rest.use(startLatchkey(['start'], environment));
    const [, asOwner = ''] = await latchkey.printed(/as the owner of the sample community +(\S+)/);
    await latchkey.printed(/Ctrl-C stops everything/);
    url = new URL(asOwner).origin;
    run = async (...words) => {
      await using command = startLatchkey(words, environment);
      const { code } = await command.ended();
      assert.equal(code, 0, command.stderr());
      return command.stdout().trim();
    };
    const lastWord = (text: string) => text.split(/\s+/).at(-1) ?? '';
    const client = await run('dev-app', 'Samples of OAuth', '--user', owner, '--redirect-uri', `${url}/callback`);
    const [id, secret] = ['id', 'secret'].map((word) => new RegExp(`client ${word} +(\\S+)`).exec(client)?.[1]);
    credentials = {
      session: await signIn(),
      operatorKey: { kind: 'api-key', secret: lastWord(await run('admin-key', 'create', 'samples')) },
      appKey: { kind: 'api-key', secret: lastWord(await run('dev-app', 'Samples', '--user', owner)) },
      application: { kind: 'application', secret: `${id}:${secret}` },
      telegram: {
        kind: 'ae',
        secret: lastWord(await run('token', 'ae', '--user', personOnTelegram, '--reason', 'samples')),
      },
    };
    const document = readDescription(describeApi(resources, { serverUrl: url }));
    assert.ok(document);
    const all = modelOf(document, new Map(), readExamples()).flatMap((tag) => tag.operations);
    operations = inOrder(all).filter(({ answer }) => answer.status.startsWith('2'));
  });
  after(() => rest.disposeAsync());

  async function signIn(): Promise<Credential> {
    const [, link = ''] = /as the owner of the sample community +(\S+)/.exec(await run('open')) ?? [];
    const session: Credential = { kind: 'ae', secret: await signInAsOwner(url, link) };
    signedInMs = performance.now();
    return session;
  }

  async function renewSession(): Promise<void> {
    credentials = { ...credentials, session: await signIn() };
  }

  function credentialFor({ path, isOpen, credentials: kinds }: OperationModel): Credential {
    const { session, operatorKey, appKey, telegram } = credentials;
    if (path.startsWith('/telegram-pkp/')) return telegram;
    if (isOpen || kinds.includes('session')) return session;
    return kinds.includes('operator-key') ? operatorKey : appKey;
  }

  /** What a browser keeps for the tab of a reader who signed in. What operations returned stays in it as well. */
  function tabFor(operation: OperationModel): Record<string, string> {
    const isOfApplication = storeFor(operation)?.kinds.includes('application');
    return {
      'latchkey.server': url,
      'latchkey.community': sampleCommunity.id,
      'latchkey.credential': JSON.stringify(credentialFor(operation)),
      ...(isOfApplication && { 'latchkey.application': JSON.stringify(credentials.application) }),
    };
  }

  const title = 'succeeds as prefilled for every operation that is not listed with the status and the reason';
  test(title, { skip: isDeep ? false : 'for npm run test:deep' }, async (t) => {
    const refused = new Map<string, number>();
    await using opened = await site.visit('/apis/', { expectsRefusals: true });
    const press = async (operation: OperationModel): Promise<void> => {
      const status = await pressSend(opened.page, site.url, operation, tabFor(operation));
      if (isGood(status)) refused.delete(routeOf(operation));
      else refused.set(routeOf(operation), status);
    };
    const pressAll = async (batch: readonly OperationModel[]) => {
      for (const operation of batch) {
        if (performance.now() - signedInMs > renewedMs && !/account\/?(?:wallets)?$/.test(operation.path))
          await renewSession();
        const first = operations.find((one) => routeOf(one) === operation.first?.route);
        if (first !== undefined) await press(first);
        await press(operation);
        if (endsSession.test(routeOf(operation))) await renewSession();
      }
    };
    for (const methods of [['POST', 'PUT'], ['GET'], ['PATCH'], ['DELETE']]) {
      const batch = operations.filter((one) => methods.includes(one.method) && !ranLast.includes(routeOf(one)));
      await pressAll(batch);
      // What depends on something that another operation of the batch created.
      if (!methods.includes('DELETE')) await pressAll(batch.filter((one) => refused.has(routeOf(one))));
    }
    await pressAll(operations.filter((one) => ranLast.includes(routeOf(one))));
    const known = new Map(Object.values(refusedSamples).flatMap((routes) => Object.entries(routes)));
    const [count, worked] = [operations.length, operations.length - refused.size];
    const percent = ((100 * worked) / count).toFixed(1);
    t.diagnostic(`Send succeeded for ${worked} of ${count} operations as prefilled, ${percent} %.`);
    const linesOf = (statuses: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>) =>
      [...statuses].flatMap(([route, status]) => (others.get(route) === status ? [] : [`${status} ${route}`]));
    // One that succeeds now leaves the list, and one that is refused for another reason is looked at.
    assert.deepEqual(
      { unlisted: linesOf(refused, known), outdated: linesOf(known, refused) },
      { unlisted: [], outdated: [] },
    );
    assert.ok(known.size <= mostListed * count, `${known.size} operations are listed.`);
  });

  test('succeeds as prefilled for reads that need nothing else', {
    skip: isDeep && 'part of the run of all',
  }, async () => {
    const listed = new Set(Object.values(refusedSamples).flatMap((routes) => Object.keys(routes)));
    const reads = operations.filter(
      (one) => one.method === 'GET' && !one.path.includes('{') && !listed.has(routeOf(one)),
    );
    const turn = Number(process.env.LATCHKEY_TEST_TURN ?? 0);
    await using opened = await site.visit('/apis/', { expectsRefusals: true });
    const statuses: [string, number][] = [];
    for (const operation of takeSome(reads, readsPressed, turn))
      statuses.push([routeOf(operation), await pressSend(opened.page, site.url, operation, tabFor(operation))]);
    assert.deepEqual(
      statuses.filter(([, status]) => !isGood(status)),
      [],
    );
    assert.equal(statuses.length, readsPressed);
  });
});
