import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { describeApi, type Operation, placeOf } from '@latchkey/kernel';
import { Ajv, type ValidateFunction } from 'ajv';
import { liftPlanLimits } from '../harness/lift-plan-limits.ts';
import { isMounted, served } from '../harness/served.ts';
import { startTestServer, type TestAnswer, type TestServer } from '../harness/test-server.ts';

type Headers = Record<string, string>;

interface Described {
  responses: { default: { content: Record<string, { schema: object }> } };
  'x-error-statuses': number[];
}

interface Document {
  paths: Record<string, Record<string, Described>>;
}

/** A request: its name, its target and the rest of it. */
interface Attempt {
  what: string;
  target: string;
  headers?: Headers;
  body?: string;
}

const form = 'application/x-www-form-urlencoded';

/** Returns requests that every server has to refuse: values longer than their schema allows, and invalid bodies. */
function attemptsOn(operation: Operation): Attempt[] {
  const fill = (values: Record<string, string> = {}) =>
    operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? 'sample'));
  const tooLong = Object.entries(operation.params).flatMap(([name, schema]) => {
    const { maxLength } = schema as { maxLength?: number };
    if (maxLength === undefined || maxLength > 8_000) return [];
    const value = 'x'.repeat(maxLength + 1);
    const what = `${name} of ${value.length} characters`;
    const place = placeOf(operation, name, schema);
    if (place === 'path') return [{ what, target: fill({ [name]: value }) }];
    return place === 'query' ? [{ what, target: `${fill()}?${name}=${value}` }] : [];
  });
  if (operation.body === undefined || operation.body.kind === 'raw') return tooLong;
  const type = operation.body.kind === 'json' ? 'application/json' : form;
  return [
    ...tooLong,
    { what: 'a body of another type', target: fill(), headers: { 'content-type': 'text/plain' }, body: 'x' },
    { what: 'a body that is none', target: fill(), headers: { 'content-type': type }, body: '{"a":' },
  ];
}

describe('http: refusals are described', () => {
  let server: TestServer;
  let callers: Record<string, Headers>;
  let document: Document;
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const validators = new Map<string, ValidateFunction>();

  before(async () => {
    server = await startTestServer();
    await liftPlanLimits(server);
    callers = {
      operator: { 'x-api-key': server.adminKey },
      user: { authorization: await server.aeToken('DIS#USER#1') },
      key: { 'x-api-key': (await server.apiKey(['$all'])).key },
    };
    document = describeApi(server.services.resources, { serverUrl: server.url }) as unknown as Document;
    ajv.addSchema({ ...document, $id: 'api' });
  });
  after(() => server.close());

  /** Returns what is wrong with a refusal, compared only with the description. */
  function problemsOf({ method, path }: Operation, { status, headers, text }: TestAnswer): string[] {
    if (status < 400 || status >= 500) return [`answered with ${status}`];
    const described = document.paths[path]?.[method.toLowerCase()];
    if (described?.['x-error-statuses'].includes(status) !== true)
      return [`status ${status} is not described: ${text}`];
    const type = headers.get('content-type')?.split(';')[0] ?? '';
    const content = described.responses.default.content[type];
    if (content === undefined) return [`${type} is not described`];
    const key = JSON.stringify(content.schema).replaceAll('"#/', '"api#/');
    const validate = validators.get(key) ?? ajv.compile(JSON.parse(key));
    validators.set(key, validate);
    return validate(JSON.parse(text)) ? [] : [`does not fit its schema: ${ajv.errorsText(validate.errors)}: ${text}`];
  }

  for (const name of ['operator', 'user', 'key']) {
    test(`whatever invalid input ${name} sends is refused with a documented status and body`, async () => {
      const problems: string[] = [];
      let tried = 0;
      for (const operation of served) {
        for (const { what, target, headers = {}, body } of attemptsOn(operation)) {
          const answer = await server.request(operation.method, target, {
            headers: { ...headers, ...callers[name] },
            ...(body !== undefined && { body }),
          });
          tried += 1;
          problems.push(...problemsOf(operation, answer).map((problem) => `${operation.route}, ${what}: ${problem}`));
        }
      }
      assert.ok(tried > 300, String(tried));
      assert.deepEqual(problems, []);
    });
  }

  test('errors at the OAuth2 endpoints match the OpenAPI document too', async () => {
    const mounted = served.filter((operation) => isMounted(operation) && operation.method === 'POST');
    assert.ok(mounted.length >= 3);
    for (const operation of mounted)
      for (const [headers, body] of [
        [{}, ''],
        [{}, 'grant_type=client_credentials&client_id=unknown&client_secret=x'],
        [{ authorization: 'Basic !!!' }, 'token=x'],
        [{ authorization: 'Bearer x' }, 'token=x&token=y'],
      ] as [Headers, string][]) {
        const answer = await server.request('POST', operation.path, {
          headers: { 'content-type': form, ...headers },
          body,
        });
        assert.deepEqual(problemsOf(operation, answer), [], `${operation.route} ${body}`);
      }
  });
});
