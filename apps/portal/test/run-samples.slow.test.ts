import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { resources } from '@latchkey/core';
import { describeApi } from '@latchkey/kernel';
import { readExamples } from '@latchkey/server/examples';
import { freePorts, makeDataFolder, startLatchkey } from '@latchkey/server/testing/processes';
import { volume } from '@latchkey/test-kit';
import { modelOf, type OperationModel } from '../reference/model.ts';
import { readDescription } from '../reference/read-description.ts';
import {
  communityFor,
  findObjects,
  type OwnValues,
  ofCommunity,
  readOwnValues,
  sampleCommunity,
  withOwnValues,
} from '../src/reference/samples/own-values.ts';
import { keepReturned } from '../src/reference/samples/returned.ts';
import { startInputs } from '../src/reference/samples/start-inputs.ts';
import { type Credential, noCredential } from '../src/reference/try-it/credential.ts';
import { type Part, prepare } from '../src/reference/try-it/prepare.ts';
import { ranLast, refusedSamples } from './refused-samples.ts';

const owner = 'DIS#USER#200000000000000000';
/** How many of the operations succeed as prefilled: 365 of 464 when this was written. */
const leastShare = 0.77;
const isDeep = volume(0, 1) === 1;
const skip = isDeep ? false : 'for npm run test:deep';

/** As a reader goes through a resource: create, read, change, delete. What stands in the way of the others is last. */
function inOrder(operations: readonly OperationModel[]): OperationModel[] {
  const ranks = ['POST', 'PUT', 'GET', 'PATCH', 'DELETE'];
  const depth = ({ path }: OperationModel) => path.split('/').length;
  const placeOf = (operation: OperationModel): number[] => [
    ranLast.indexOf(`${operation.method} ${operation.path}`),
    ranks.indexOf(operation.method),
    // A decision of the operator follows what it is about.
    Number(operation.path.startsWith('/latchkey/operator/')),
    operation.method === 'DELETE' ? -depth(operation) : depth(operation),
  ];
  const compare = (one: number[], other: number[]): number =>
    one.map((value, index) => value - (other[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
  return operations.toSorted((one, other) => compare(placeOf(one), placeOf(other)));
}

const endsSession = /^DELETE \/latchkey\/(?:session|account\/sessions)/;

function routeOf({ method, path }: OperationModel): string {
  return `${method} ${path}`;
}

function formOf(fields: readonly Part[]): string {
  return new URLSearchParams(fields.map(({ name, value }) => [name, value])).toString();
}

/** Returns a response, of an endless stream its first part. */
async function readStart(response: Response): Promise<string> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return response.text();
  await response.body?.cancel();
  return '';
}

/** What a browser keeps for the tab. */
function keepInMemory(): void {
  const kept = new Map<string, string>();
  Object.defineProperty(globalThis, 'sessionStorage', {
    value: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
    },
    configurable: true,
  });
}

describe('prefilled requests on a new server', { skip }, () => {
  const rest = new AsyncDisposableStack();
  let url = '';
  let run: (...words: string[]) => Promise<string>;
  let session: Credential;
  let operatorKey: Credential;
  let appKey: Credential;

  before(async () => {
    keepInMemory();
    const data = rest.use(await makeDataFolder());
    // The simulators take the ports from the last one on.
    const [port, mailPort, sandboxPort] = [await freePorts(), await freePorts(), await freePorts()];
    const environment = {
      LATCHKEY_DATA_DIR: data.path,
      LATCHKEY_PORT: String(port),
      LATCHKEY_PORTAL: 'false',
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
      return command.stdout().trim().split(/\s+/).at(-1) ?? '';
    };
    session = await newSession();
    operatorKey = { kind: 'api-key', secret: await run('admin-key', 'create', 'samples') };
    appKey = { kind: 'api-key', secret: await run('dev-app', 'Samples', '--user', owner) };
  });
  after(() => rest.disposeAsync());

  async function newSession(): Promise<Credential> {
    return { kind: 'ae', secret: await run('token', 'ae', '--user', owner, '--reason', 'samples') };
  }

  function credentialFor({ isOpen, credentials }: OperationModel): Credential {
    if (isOpen || credentials.includes('session')) return session;
    return credentials.includes('operator-key') ? operatorKey : appKey;
  }

  function readOperations(): OperationModel[] {
    const document = readDescription(describeApi(resources, { serverUrl: url }));
    assert.ok(document);
    const operations = modelOf(document, new Map(), readExamples()).flatMap((tag) => tag.operations);
    return inOrder(operations).filter(({ answer }) => answer.status.startsWith('2'));
  }

  /** Sends what the page of an operation prefills, and returns the status: 0 if a field has no value. */
  async function sendPrefilled(operation: OperationModel, own: OwnValues): Promise<number> {
    const credential = credentialFor(operation);
    const { signal } = new AbortController();
    const objects = await findObjects(operation, own, url, credential, signal);
    const { inputs } = withOwnValues(operation, startInputs(operation), { ...own, objects });
    const ready = prepare(operation, inputs, url, operation.isOpen ? noCredential : credential);
    if ('problems' in ready) return 0;
    const { method, headers, body } = ready.prepared;
    const response = await fetch(ready.prepared.url, {
      method,
      headers: headers.map(({ name, value }): [string, string] => [name, value]),
      ...(body && { body: body.kind === 'json' ? body.text : formOf(body.fields) }),
      redirect: 'manual',
    });
    const text = await readStart(response);
    if (response.ok) keepReturned(routeOf(operation), text);
    return response.status;
  }

  test('succeed for every operation that is not listed with a reason', async (t) => {
    const operations = readOperations();
    const { signal } = new AbortController();
    const all = await readOwnValues(url, session, signal);
    const named = communityFor({ path: '/discord/' }, all, sampleCommunity.id);
    assert.equal(named?.id, sampleCommunity.id);
    const own = await ofCommunity(all, named, url, session, signal);
    const refused = new Map<string, number>();
    const sendAll = async (batch: readonly OperationModel[]) => {
      for (const operation of batch) {
        const status = await sendPrefilled(operation, own);
        if (status >= 200 && status < 300) refused.delete(routeOf(operation));
        else refused.set(routeOf(operation), status);
        if (endsSession.test(routeOf(operation))) session = await newSession();
      }
    };
    for (const methods of [['POST', 'PUT'], ['GET'], ['PATCH'], ['DELETE']]) {
      const batch = operations.filter((one) => methods.includes(one.method) && !ranLast.includes(routeOf(one)));
      await sendAll(batch);
      // What depends on something that another operation of the batch created.
      if (!methods.includes('DELETE')) await sendAll(batch.filter((one) => refused.has(routeOf(one))));
    }
    await sendAll(operations.filter((one) => ranLast.includes(routeOf(one))));
    const known = new Set(Object.values(refusedSamples).flat());
    t.diagnostic(`${operations.length - refused.size} of ${operations.length} operations succeed as prefilled.`);
    for (const route of known) if (!refused.has(route)) t.diagnostic(`${route} is listed, and succeeded.`);
    assert.deepEqual(
      [...refused].filter(([route]) => !known.has(route)).map(([route, status]) => `${status} ${route}`),
      [],
    );
    assert.ok(operations.length - refused.size >= leastShare * operations.length);
  });
});
