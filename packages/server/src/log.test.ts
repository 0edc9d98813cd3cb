import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { runFrom } from '@latchkey/db/origin';
import { createLog, redact, redacted } from './log.ts';

function collect(settings: Parameters<typeof createLog>[0]) {
  const lines: string[] = [];
  return { log: createLog(settings, { write: (line) => void lines.push(line) }), lines };
}

test('values of secret-looking keys are not written, however deep', () => {
  const { log, lines } = collect({ logLevel: 'info', debugSettings: '' });
  log.info('x', {
    headers: { Authorization: 'Bearer abcdefghijkl', 'x-api-key': 'k1' },
    body: [{ clientSecret: 's1', otp: '123456' }],
  });
  const [line = ''] = lines;
  for (const secret of ['abcdefghijkl', 'k1', 's1', '123456']) assert.ok(!line.includes(secret), line);
  assert.ok(line.includes(redacted));
});

test('credentials inside a text are redacted', () => {
  const texts = [
    'failed with Bearer eyJhbGciOi.J9.abc',
    'header was AE eyJlbmMiOiJBMjU2R0NNIn0',
    'token lk_at_0123456789abcdef',
    'key 0123456789abcdefghijk.0123456789012345678901234567890123456789012',
    'postgres://user:hunter2hunter2@db/latchkey',
    'secret whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  ];
  for (const text of texts) {
    const safe = String(redact(text));
    assert.ok(safe.includes(redacted), text);
    assert.doesNotMatch(safe, /eyJ|lk_at_|hunter2|MfKQ|0123456789012345678901234567890123456789012/);
  }
});

test('errors are written with their message and stack, and without their secrets', () => {
  const { log, lines } = collect({ logLevel: 'info', debugSettings: '' });
  log.error('x', { error: new Error('no route to postgres://latchkey:topsecret@db') });
  assert.ok(lines[0]?.includes('no route to'));
  assert.ok(!lines[0]?.includes('topsecret'));
});

test('a line names the request that led to it, and its trace only if that is kept', () => {
  const { log, lines } = collect({ logLevel: 'info', debugSettings: '' });
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const spanOf = (isKept: boolean) => ({
    traceParent: `00-${traceId}-00f067aa0ba902b7-${isKept ? '01' : '00'}`,
    isKept,
    set: () => undefined,
    end: () => undefined,
  });
  log.info('outside');
  runFrom({ requestId: 'r-1', span: spanOf(true) }, () => log.info('kept'));
  runFrom({ requestId: 'r-2', span: spanOf(false) }, () => log.info('dropped'));
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ requestId, traceId: trace }) => [requestId, trace]),
    [
      [undefined, undefined],
      ['r-1', traceId],
      ['r-2', undefined],
    ],
  );
});

test('lines below the level are not written, unless their part is debugged', () => {
  const { log, lines } = collect({ logLevel: 'warn', debugSettings: 'jobs,http*' });
  log.info('quiet');
  log.for('jobs').debug('loud');
  log.for('http-way').debug('loud');
  log.for('jobsx').debug('quiet');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['loud', 'loud'],
  );
});

test('components use the names existing clients know, and some can be left out', () => {
  const { log, lines } = collect({ logLevel: 'warn', debugSettings: 'collabland:* -latchkey:http*, loopback:jobs' });
  log.for('jobs').debug('loud');
  log.for('http-way').debug('quiet');
  log.apply({ debugSettings: 'loopback:*,collabland:jobs' });
  log.for('jobs').debug('loud');
  log.for('gating').debug('quiet');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['loud', 'loud'],
  );
});

test('settings can be changed while the program runs', () => {
  const { log, lines } = collect({ logLevel: 'error', debugSettings: '' });
  const part = log.for('http');
  part.debug('before');
  log.apply({ debugSettings: 'http' });
  part.debug('after');
  log.apply({ debugSettings: '', logLevel: 'info' });
  part.debug('later');
  part.info('last');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['after', 'last'],
  );
});

test('the log of a command is not in its output, which scripts capture', async () => {
  const program = `
    import { createLogBesideOutput } from ${JSON.stringify(import.meta.resolve('./log.ts'))};
    createLogBesideOutput({ logLevel: 'warn', debugSettings: '' }).warn('A database connection was lost.');
    process.stdout.write('the token');`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  assert.equal(stdout, 'the token');
  assert.match(stderr, /A database connection was lost\./);
});
