import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { portalFolder } from '../config/folders.ts';
import { readCurl } from './read-curl.ts';
import { splitShell } from './split-shell.ts';
import { translateCurl } from './translate-curl.ts';

const folders = '{docs,help-docs,operators,dao,telefrens,blog}';
const samples = globSync(`${folders}/**/*.md`, { cwd: portalFolder }).flatMap((file) =>
  [...readFileSync(join(portalFolder, file), 'utf8').matchAll(/^( *)```bash run[^\n]*\n([\s\S]*?)^ *```/gm)].map(
    ([, indent = '', text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  ),
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

/** What curl sends, with a value for each variable. */
function wanted(sample: string): Sent {
  const words = splitShell(sample).flatMap((line) => ('words' in line ? line.words : []));
  const texts = words.map((word) =>
    word.map((piece) => ('text' in piece ? piece.text : valueFor(piece.variable))).join(''),
  );
  const { method, url, headers, body } = readCurl(texts.slice(1));
  return { method, url, headers: Object.fromEntries(headers), body: body === undefined ? null : JSON.parse(body) };
}

test('most requests of the guides are shown in TypeScript and Python too', () => {
  assert.ok(translated.length >= 20, `${translated.length} of ${samples.length}`);
});

test('the TypeScript of a guide sends what its curl sends', async () => {
  const process = { env: new Proxy({}, { get: (_target, name) => valueFor(String(name)) }) };
  for (const { sample, typescript } of translated) {
    const sent: Sent[] = [];
    const fetch = async (url: string, { method = 'GET', headers = {}, body }: RequestInit = {}) => {
      const all = Object.fromEntries(new Headers(headers));
      sent.push({ method, url, headers: all, body: body === undefined ? null : JSON.parse(String(body)) });
      return Response.json({});
    };
    const run = new Function('fetch', 'process', 'console', `return (async () => { ${typescript} })();`);
    await run(fetch, process, { log: () => undefined });
    assert.deepEqual(sent, [wanted(sample)], typescript);
  }
});

/** Stands for the library: keeps what it is told to send. */
const harness = `
import json, sys, types
class Environment(dict):
    def __missing__(self, name):
        return "the-" + name.lower()
sent = []
def send(method):
    def call(url, headers={}, json=None):
        kind = {"content-type": "application/json"} if json is not None else {}
        sent.append({"method": method, "url": url, "headers": {**headers, **kind}, "body": json})
        return types.SimpleNamespace(status_code=200, json=lambda: {})
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
  assert.equal(sent.length, translated.length);
  for (const [index, { sample, python }] of translated.entries()) assert.deepEqual(sent[index], wanted(sample), python);
});

test('what is more than one plain request stays as it is', () => {
  for (const sample of [
    'echo hello',
    'curl -s "$A"\ncurl -s "$B"',
    'curl -s -u "$A:$B" "$C"',
    'curl -s "$A" -d \'a=b\'',
  ])
    assert.equal(translateCurl(sample), undefined, sample);
});
