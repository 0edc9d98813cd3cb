import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import { formatWebhookSecret, signWebhook } from '@latchkey/core/facts';
import { volume } from '@latchkey/test-kit';
import { readPrograms } from './programs.ts';

const { programs, problems } = readPrograms(['py']);

function programWith(words: string): string {
  const found = programs.filter(({ text }) => text.includes(words));
  assert.equal(found.length, 1, `one program has ${words}`);
  return found[0]?.text ?? '';
}

/** Runs a program of a page as a module, followed by lines that use it and print their results as JSON. */
function run(program: string, behind: string, { input = {}, env = {} }: { input?: unknown; env?: object } = {}) {
  const { status, stdout, stderr } = spawnSync('python3', ['-c', loader], {
    input: JSON.stringify({ program, behind, input }),
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}

const loader = `
import json, sys
given = json.load(sys.stdin)
names = {"__name__": "sample", "given": given["input"]}
exec(compile(given["program"], "the page", "exec"), names)
exec(compile(given["behind"], "the test", "exec"), names)
`;

/** A test server that answers each request with the next of \`answers\` and records the requests. */
const stub = `
import http.server, json, threading, urllib.request, urllib.error, urllib.parse
seen = []
class Stub(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        seen.append({"headers": dict(self.headers), "body": self.rfile.read(int(self.headers.get("content-length", 0))).decode()})
        self.do_GET()
    def do_GET(self):
        status, headers, body = answers.pop(0)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())
    def log_message(self, *words):
        pass
def serve(handler):
    server = http.server.HTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return "http://127.0.0.1:%d" % server.server_port
`;

const hasPython = (...args: string[]) => spawnSync('python3', args).status === 0;
const withoutPython =
  volume(0, 1) === 0 ? 'for npm run test:deep' : !hasPython('--version') && 'There is no Python here.';

describe('the Python programs of guides', { skip: withoutPython }, () => {
  test('all of them are Python', () => {
    assert.deepEqual(problems, []);
    assert.ok(programs.length >= 5);
    for (const { file, text } of programs) {
      const { status, stderr } = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
        input: text,
        encoding: 'utf8',
      });
      assert.equal(status, 0, `${file}: ${stderr}`);
    }
  });

  test('the one that waits after a 429 retries after the given time, and finally gives up', () => {
    const behind = `${stub}
waits = []
time.sleep = waits.append
address = serve(Stub)
answers = [(429, {"retry-after": "7"}, ""), (503, {}, ""), (200, {}, "done")]
text = fetch_patiently(address).read().decode()
def refused_by(*statuses):
    answers[:] = [(status, {}, "") for status in statuses]
    try:
        fetch_patiently(address)
    except urllib.error.HTTPError as error:
        return [error.code, len(answers)]
print(json.dumps([text, [int(wait) for wait in waits], refused_by(404, 200), refused_by(*[429] * 6)]))
`;
    assert.deepEqual(run(programWith('fetch_patiently'), behind), ['done', [7, 2], [404, 1], [429, 1]]);
  });

  test('the one that receives callbacks accepts only genuine messages', () => {
    const secret = formatWebhookSecret(Uint8Array.from({ length: 32 }, (_, index) => index));
    const body = JSON.stringify({ requestId: 'r1', roles: [{ id: 'Zoë', granted: true }] });
    const signed = (age = 0) => {
      const timestamp = new Date(Date.now() - age * 1000);
      return signWebhook({ id: 'msg_1', body, timestamp }, [secret]);
    };
    const input = [
      { headers: signed(), body },
      { headers: signed(), body: body.replace('Zoë', 'Zoe') },
      { headers: signed(3600), body },
      { headers: {}, body },
    ];
    const behind = `${stub}
Receiver.log_message = Stub.log_message
address = serve(Receiver)
def send(message):
    request = urllib.request.Request(address, data=message["body"].encode(), headers=message["headers"])
    try:
        return urllib.request.urlopen(request).status
    except urllib.error.HTTPError as error:
        return error.code
print(json.dumps([send(message) for message in given]))
`;
    const env = { WEBHOOK_SECRET: secret };
    assert.deepEqual(run(programWith('class Receiver'), behind, { input, env }), [204, 401, 401, 401]);
  });

  test('the one that signs people in uses PKCE, and exchanges the code with its verifier', () => {
    const behind = `${stub}
answers = [(200, {"content-type": "application/json"}, json.dumps({"access_token": "t", "scope": "openid"}))]
asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))
LATCHKEY_URL = serve(Stub)
token = exchange("the code")
[sent] = seen
form = dict(urllib.parse.parse_qsl(sent["body"]))
proof = base64.urlsafe_b64encode(hashlib.sha256(form.pop("code_verifier").encode()).digest()).rstrip(b"=").decode()
headers = {name.lower(): value for name, value in sent["headers"].items()}
print(json.dumps([
    urllib.parse.urlsplit(address).path, asked["client_id"], asked["state"] == state,
    proof == asked["code_challenge"], form["redirect_uri"] == asked["redirect_uri"],
    [form["grant_type"], form["code"]], base64.b64decode(headers["authorization"].split(" ")[1]).decode(), token["access_token"],
]))
`;
    const env = { LATCHKEY_URL: 'http://latchkey.example', CLIENT_ID: 'app', CLIENT_SECRET: 'a-secret' };
    assert.deepEqual(run(programWith('def exchange'), behind, { env }), [
      '/oauth2/authorize',
      'app',
      true,
      true,
      true,
      ['authorization_code', 'the code'],
      'app:a-secret',
      't',
    ]);
  });

  const withoutKeys = withoutPython || (!hasPython('-c', 'import cryptography') && 'Python has no cryptography here.');

  test('the mini-app answers signed calls and rejects all others', { skip: withoutKeys }, () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
    const call = (path: string, interaction: unknown, age = 0) => {
      const body = JSON.stringify(interaction);
      const timestamp = String(Date.now() - age);
      const signature = sign(null, Buffer.from(timestamp + body), privateKey).toString('hex');
      return {
        path,
        body,
        headers: { 'x-signature-timestamp': timestamp, 'x-signature-ed25519': signature } as object,
      };
    };
    const command = { type: 2, data: { name: 'roll', options: [{ name: 'sides', value: 2 }] } };
    const good = call('/interactions', command);
    const input = [
      good,
      call('/interactions', { type: 3, data: { custom_id: 'roll:20' } }),
      call('/events', { type: 'guildMemberUpdate' }),
      { ...good, body: good.body.replace('2}', '3}') },
      call('/interactions', command, 10 * 60 * 1000),
      { ...good, headers: {} },
      call('/nowhere', command),
    ];
    const behind = `${stub}
Dice.log_message = Stub.log_message
address = serve(Dice)
def send(path, body=None, headers={}):
    try:
        with urllib.request.urlopen(urllib.request.Request(address + path, data=body, headers=headers)) as response:
            return [response.status, response.read().decode()]
    except urllib.error.HTTPError as error:
        return [error.code, ""]
calls = [send(call["path"], call["body"].encode(), call["headers"]) for call in given]
print(json.dumps([json.loads(send("/metadata")[1])["manifest"]["appId"], calls]))
`;
    const [appId, calls] = run(programWith('class Dice'), behind, { input, env: { LATCHKEY_ACTION_KEY: key } });
    assert.equal(appId, 'dice');
    assert.deepEqual(
      calls.map(([status]: [number]) => status),
      [200, 200, 204, 401, 401, 400, 404],
    );
    assert.match(JSON.parse(calls[0][1]).data.content, /^You rolled [12] of 2\.$/);
    assert.match(JSON.parse(calls[1][1]).data.content, /^You rolled \d+ of 20\.$/);
  });
});
