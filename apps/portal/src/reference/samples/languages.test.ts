import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createClient } from '@latchkey/client';
import { resources } from '@latchkey/core';
import { describeApi } from '@latchkey/kernel';
import { readExamples } from '@latchkey/server/examples';
import { modelOf } from '../../../reference/model.ts';
import { readDescription } from '../../../reference/read-description.ts';
import { readCurl } from '../../../samples/read-curl.ts';
import { splitShell } from '../../../samples/split-shell.ts';
import { noCredential } from '../try-it/credential.ts';
import { type Prepared, prepare } from '../try-it/prepare.ts';
import { colour } from './colour.ts';
import { type Language, languages } from './languages.ts';
import { sampleCredential, withKey } from './sample-credential.ts';
import { startInputs } from './start-inputs.ts';

const address = 'https://latchkey.example';
const secret = 'the key of the reader';
const document = readDescription(describeApi(resources, { serverUrl: address }));
assert.ok(document);
const calls = modelOf(document, new Map(), readExamples())
  .flatMap(({ operations }) => operations)
  .filter(({ example }) => example !== undefined)
  .map((operation) => {
    const inputs = startInputs(operation);
    const checked = prepare(operation, inputs, address, sampleCredential(operation, noCredential));
    assert.ok('prepared' in checked, `The example of ${operation.method} ${operation.path} is not complete.`);
    return { operation, inputs, address, prepared: checked.prepared };
  });
const samplesIn = (language: Language) => calls.map((call) => languages[language].write(call));

/** A request in the form in which all languages are compared. */
interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: unknown;
}

function wanted({ method, url, headers, body }: Prepared): Sent {
  const filled = headers.map((part) => [part.name, part.secret ? `${part.secret.prefix}${secret}` : part.value]);
  const form = body?.kind === 'form' ? body.fields.map((part) => [part.name, part.secret ? secret : part.value]) : [];
  return {
    method,
    url,
    headers: Object.fromEntries(filled),
    body: body?.kind === 'json' ? JSON.parse(body.text) : body && Object.fromEntries(form),
  };
}

function readBody(text: unknown, type: string | undefined): unknown {
  if (text === undefined || text === null) return undefined;
  return type?.includes('json') ? JSON.parse(String(text)) : Object.fromEntries(new URLSearchParams(String(text)));
}

/** Runs a JavaScript sample with an intercepted fetch. */
async function catchFetch(code: string): Promise<Sent> {
  const sent: Sent[] = [];
  const fetch = async (url: unknown, { method = 'GET', headers = {}, body }: RequestInit = {}) => {
    const all = Object.fromEntries(new Headers(headers));
    if (body instanceof URLSearchParams) all['content-type'] = 'application/x-www-form-urlencoded';
    sent.push({ method, url: String(url), headers: all, body: readBody(body, all['content-type']) });
    return new Response('{}', { headers: { 'content-type': 'application/json' } });
  };
  const process = { env: new Proxy({}, { get: () => secret }) };
  const client = (options: { baseUrl: string }) => createClient({ ...options, fetch });
  const body = `return (async () => { ${code.replace(/^import .*$/m, '')} })();`;
  const run = new Function('fetch', 'process', 'createClient', 'console', body);
  await run(fetch, process, client, { log: () => undefined });
  const [first] = sent;
  assert.ok(first && sent.length === 1, code);
  return first;
}

test('the samples of curl send what the recorded call sent', () => {
  for (const [index, sample] of samplesIn('curl').entries()) {
    const prepared = calls[index]?.prepared;
    assert.ok(prepared);
    const words = splitShell(sample).flatMap((line) => ('words' in line ? line.words : []));
    const texts = words.map((word) => word.map((piece) => ('text' in piece ? piece.text : secret)).join(''));
    const { method, url, headers, body } = readCurl(texts.slice(1));
    const all = Object.fromEntries(headers);
    assert.deepEqual(
      { method, url, headers: all, body: readBody(body, all['content-type']) },
      wanted(prepared),
      sample,
    );
  }
});

for (const language of ['fetch', 'client'] as const)
  test(`the samples of ${languages[language].title} send what the recorded call sent`, async () => {
    for (const [index, sample] of samplesIn(language).entries()) {
      const prepared = calls[index]?.prepared;
      assert.ok(prepared);
      const sent = await catchFetch(sample);
      // Only the packed client knows which operations take a form.
      if (language === 'client' && prepared.body?.kind === 'form') sent.headers = wanted(prepared).headers;
      assert.deepEqual(sent, wanted(prepared), sample);
    }
  });

/** Replaces the library and records what it should send. */
const pythonHarness = `
import json, sys, types, urllib.parse
class Environment(dict):
    def __missing__(self, name):
        return ${JSON.stringify(secret)}
sent = []
def send(method):
    def call(url, headers={}, json=None, data=None, allow_redirects=True):
        kind = {"content-type": "application/json"} if json is not None else {"content-type": "application/x-www-form-urlencoded"} if data is not None else {}
        sent.append({"method": method, "url": url, "headers": {**headers, **kind}, "body": data if json is None else json, "redirects": allow_redirects})
        return types.SimpleNamespace(status_code=200, text="")
    return call
fake = types.ModuleType("requests")
for method in ["get", "post", "put", "patch", "delete"]:
    setattr(fake, method, send(method.upper()))
sys.modules["requests"] = fake
import os
os.environ = Environment()
for sample in json.load(sys.stdin):
    exec(sample, {"print": lambda *values: None})
json.dump(sent, sys.stdout)
`;
const withoutPython = spawnSync('python3', ['--version']).status === 0 ? false : 'There is no Python here.';

test('the samples of Python send what the recorded call sent', { skip: withoutPython }, () => {
  const samples = samplesIn('python');
  const { status, stdout, stderr } = spawnSync('python3', ['-c', pythonHarness], {
    input: JSON.stringify(samples),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  assert.equal(status, 0, stderr);
  const sent: (Sent & { redirects: boolean })[] = JSON.parse(stdout);
  assert.equal(sent.length, calls.length);
  for (const [index, { prepared }] of calls.entries()) {
    const { redirects, body, ...rest } = sent[index] ?? assert.fail();
    assert.equal(redirects, false);
    assert.deepEqual({ ...rest, body: body ?? undefined }, wanted(prepared), samples[index]);
  }
});

const withoutGo = spawnSync('gofmt', ['-h']).error === undefined ? false : 'There is no Go here.';

test('the samples of Go are formatted as gofmt does', { skip: withoutGo }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-go-'));
  try {
    for (const [index, sample] of samplesIn('go').entries()) writeFileSync(join(folder, `${index}.go`), `${sample}\n`);
    const { status, stdout, stderr } = spawnSync('gofmt', ['-l', '-e', folder], { encoding: 'utf8' });
    assert.deepEqual([status, stdout, stderr], [0, '', '']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a key that the reader entered is copied in full and shown masked', () => {
  const kept = { kind: 'api-key', secret: 'abcd-0123456789-wxyz' } as const;
  for (const { operation, inputs, ...call } of calls.filter(({ operation }) => !operation.isOpen)) {
    const checked = prepare(operation, inputs, address, sampleCredential(operation, kept));
    assert.ok('prepared' in checked);
    for (const { write } of Object.values(languages)) {
      const text = (isWhole: boolean) =>
        write({ ...call, operation, inputs, prepared: withKey(checked.prepared, kept, isWhole) });
      assert.ok(text(true).includes(kept.secret) && !text(false).includes('0123456789'), text(false));
    }
  }
});

test('highlighting changes no text and allows no markup', () => {
  const code = `fetch('<b>&"', { "a": 1, b: true }) // \`x\``;
  const html = colour(code);
  assert.ok(!html.includes('<b>'));
  const plain = html
    .replaceAll(/<\/?span[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
  assert.equal(plain, code);
});
