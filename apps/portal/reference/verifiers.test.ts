import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { verifyWebhook } from '@latchkey/client';
import { formatWebhookSecret, signWebhook } from '@latchkey/core/facts';
import { volume } from '@latchkey/test-kit';
import { type VerifierName, verifiers } from './verifiers.ts';
import { webhookEvents } from './webhook-events.ts';

const key = Uint8Array.from({ length: 32 }, (_, index) => index);
const secret = formatWebhookSecret(key);
const body = JSON.stringify({
  type: 'client-app.deleted',
  timestamp: '2026-01-01T00:00:00.000Z',
  data: { name: 'Zoë' },
});

/** A message as it arrives, signed by the production code. */
function message(change: { body?: string; age?: number } = {}) {
  const timestamp = new Date(Date.now() - (change.age ?? 0) * 1000);
  const headers = signWebhook({ id: 'msg_1', body, timestamp }, [secret]);
  return { secret, headers, body: change.body ?? body };
}
const messages = [message(), message({ body: body.replace('Zoë', 'Zoe') }), message({ age: 3600 })];
/** Only the first is valid. */
const wanted = [true, false, false];

describe('the verifiers that the reference shows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-verify-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a verifier with a few lines appended that check every message. */
  function check(name: VerifierName, file: string, rest: string, command: string[]): boolean[] {
    const code = name === 'go' ? goProgram(rest) : `${verifiers[name].code}\n${rest}`;
    writeFileSync(join(folder, file), code);
    const [program = '', ...args] = command;
    const { status, stdout, stderr } = spawnSync(program, [...args, join(folder, file)], {
      input: JSON.stringify(messages),
      encoding: 'utf8',
      // Go compiles its own library first, since the run's home is empty: without C, and with less garbage collection.
      env: { ...process.env, CGO_ENABLED: '0', GOGC: '400' },
    });
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
  }

  test('the client accepts a real message and no other', async () => {
    const checked = messages.map(({ headers, body: text }) =>
      verifyWebhook({ headers, body: text }, secret).then(
        () => true,
        () => false,
      ),
    );
    assert.deepEqual(await Promise.all(checked), wanted);
  });

  test('Node.js accepts a real message and no other', () => {
    const rest = `import { readFileSync } from 'node:fs';
const check = ({ secret, headers, body }) => { try { verify(secret, headers, body); return true; } catch { return false; } };
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(check)));`;
    assert.deepEqual(check('node', 'verify.mjs', rest, [process.execPath]), wanted);
  });

  /** Other toolchains are for the deep run: Go alone compiles its own library for a quarter of a minute. */
  const without = (program: string, name: string) =>
    volume(0, 1) === 0
      ? 'for npm run test:deep'
      : spawnSync(program, ['version']).error !== undefined && `There is no ${name} here.`;

  test('Python accepts a real message and no other', { skip: without('python3', 'Python') }, () => {
    const rest = `
import sys
def check(message):
    try:
        verify(message["secret"], message["headers"], message["body"].encode())
        return True
    except ValueError:
        return False
json.dump([check(message) for message in json.load(sys.stdin)], sys.stdout)
`;
    assert.deepEqual(check('python', 'verify.py', rest, ['python3']), wanted);
  });

  test('Go accepts a real message and no other', { skip: without('go', 'Go') }, () => {
    // JSON strings are valid in Go as well. Parsing JSON there would take more compilation than everything else.
    const known = messages.map(({ secret: key, headers, body: text }) => {
      const entries = Object.entries(headers).map((entry) => entry.map((part) => JSON.stringify(part)).join(': '));
      return `{${JSON.stringify(key)}, map[string]string{${entries.join(', ')}}, ${JSON.stringify(text)}},`;
    });
    const rest = `
type message struct {
	secret  string
	headers map[string]string
	body    string
}

func main() {
	checked := []string{}
	for _, one := range []message{
		${known.join('\n\t\t')}
	} {
		header := func(name string) string { return one.headers[name] }
		checked = append(checked, strconv.FormatBool(verify(one.secret, header, []byte(one.body)) == nil))
	}
	os.Stdout.WriteString("[" + strings.Join(checked, ",") + "]")
}
`;
    assert.deepEqual(check('go', 'verify.go', rest, ['go', 'run']), wanted);
  });
});

function goProgram(rest: string): string {
  return `${verifiers.go.code.replace('import (', 'import (\n\t"os"')}\n${rest}`;
}

test('every event has a payload to show', () => {
  for (const { type, meaning, payload } of webhookEvents()) {
    assert.equal(payload.type, type);
    assert.ok(meaning.endsWith('.') && Object.keys(payload.data).length > 0, type);
  }
});
