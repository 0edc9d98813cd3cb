import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { portalFolder } from '../config/folders.ts';
import { findOperation } from './check-http.ts';
import { httpAsCurl } from './http-as-curl.ts';
import { readCurl } from './read-curl.ts';
import { splitShell, type Word } from './split-shell.ts';
import { translateCurl } from './translate-curl.ts';

const folders = '{docs,help-docs,operators,dao,telefrens,blog}';
const samples = globSync(`${folders}/**/*.md`, { cwd: portalFolder }).flatMap((file) =>
  [
    ...readFileSync(join(portalFolder, file), 'utf8').matchAll(/^( *)```(bash run|http)\b[^\n]*\n([\s\S]*?)^ *```/gm),
  ].map(([, indent = '', kind = '', block = '']) => {
    const text = block.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    return kind === 'http' ? (httpAsCurl(text) ?? text) : text;
  }),
);
const translated = samples.flatMap((sample) => {
  const translation = translateCurl(sample);
  return translation === undefined ? [] : [{ sample, ...translation }];
});

interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: unknown;
}

const valueFor = (name: string) => `the-${name.toLowerCase()}`;

/** Parses JSON, or the fields of a form. */
function readBody(body: string | undefined): unknown {
  if (body === undefined) return null;
  return /^[[{]/.test(body.trim()) ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
}

/** Returns what the commands of a sample send, with a value for each variable. */
function wanted(sample: string): Sent[] {
  return splitShell(sample).flatMap((line) => ('words' in line ? [wantedOf(line.words)] : []));
}

function wantedOf(words: readonly Word[]): Sent {
  const texts = words.map((word) =>
    word.map((piece) => ('text' in piece ? piece.text : valueFor(piece.variable))).join(''),
  );
  const { method, url, headers, body } = readCurl(texts.slice(1));
  return { method, url, headers: Object.fromEntries(headers), body: readBody(body) };
}

test('every request of the guides is shown in TypeScript and Python too', () => {
  assert.ok(samples.length >= 80, `${samples.length} were found`);
  assert.deepEqual(
    samples.filter((sample) => translateCurl(sample) === undefined && !sample.startsWith('curl -sN ')),
    [],
  );
});

test('the TypeScript of a guide sends what its curl sends', async () => {
  const process = { env: new Proxy({}, { get: (_target, name) => valueFor(String(name)) }) };
  for (const { sample, typescript } of translated) {
    const sent: Sent[] = [];
    const fetch = async (url: string, { method = 'GET', headers = {}, body }: RequestInit = {}) => {
      const all = new Headers(headers);
      if (body instanceof URLSearchParams) all.set('content-type', 'application/x-www-form-urlencoded');
      sent.push({
        method,
        url,
        headers: Object.fromEntries(all),
        body: readBody(body == null ? undefined : String(body)),
      });
      return Response.json({});
    };
    const run = new Function('fetch', 'process', 'console', `return (async () => { ${typescript} })();`);
    await run(fetch, process, { log: () => undefined });
    assert.deepEqual(sent, wanted(sample), typescript);
  }
});

/** Replaces the library and records what it should send. */
const harness = `
import base64, json, sys, types, urllib.parse
class Environment(dict):
    def __missing__(self, name):
        return "the-" + name.lower()
sent = []
def send(method):
    def call(url, headers={}, json=None, data=None, params=None, auth=None):
        kind = {"content-type": "application/json"} if json is not None else {}
        if data is not None:
            kind = {"content-type": "application/x-www-form-urlencoded"}
        if auth is not None:
            kind["authorization"] = "Basic " + base64.b64encode(":".join(auth).encode()).decode()
        if params is not None:
            url = url + "?" + urllib.parse.urlencode(params)
        sent.append({"method": method, "url": url, "headers": {**headers, **kind}, "body": json if data is None else data})
        return types.SimpleNamespace(status_code=200, text="", json=lambda: {})
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

test('the Python of a guide sends what its curl sends', { skip: withoutPython }, () => {
  const { status, stdout, stderr } = spawnSync('python3', ['-c', harness], {
    input: JSON.stringify(translated.map(({ python }) => python)),
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  const sent: Sent[] = JSON.parse(stdout);
  assert.deepEqual(
    sent,
    translated.flatMap(({ sample }) => wanted(sample)),
  );
});

test('what is read as JSON is returned as JSON', () => {
  // Errors are JSON, whatever the operation returns otherwise. Streams are shown in a tab for curl, untranslated.
  const answered = translated.filter(({ sample }) => !/^# expect 4|\/event-stream\?/m.test(sample));
  for (const { sample, typescript, python } of answered) {
    const inJson = wanted(sample).filter(({ method, url }) => {
      const [path = ''] = url.replace(valueFor('LATCHKEY_URL'), '').split('?');
      return findOperation(method, path)?.answer.kind === 'json';
    });
    for (const program of [typescript, python])
      assert.ok((program.match(/\.json\(\)/g) ?? []).length <= inJson.length, program);
  }
});

test('Python code is formatted idiomatically', () => {
  const sample = `curl -s "$LATCHKEY_URL/things" -H "x-api-key: $API_KEY" -H "content-type: application/json" -d @- <<EOF
{"things": [{"name": "one", "sizes": [1, 2]}, {"name": "another with a long name", "sizes": [3]}], "isLast": true}
EOF`;
  assert.equal(
    translateCurl(sample)?.python,
    `import os

import requests

response = requests.post(
    os.environ["LATCHKEY_URL"] + "/things",
    headers={"x-api-key": os.environ["API_KEY"]},
    json={
        "things": [
            {"name": "one", "sizes": [1, 2]},
            {"name": "another with a long name", "sizes": [3]},
        ],
        "isLast": True,
    },
)
print(response.status_code, response.json())`,
  );
});

test('what is not a request stays unchanged', () => {
  for (const sample of ['echo hello', 'curl -s "$A"\necho hello', 'curl -s "$A" -d \'a\''])
    assert.equal(translateCurl(sample), undefined, sample);
});
