import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { telegramRoute } from '@latchkey/core';
import { startTelegramEmulator, type TelegramEmulator } from '@latchkey/emulators/telegram';
import { webhookSecret } from '@latchkey/platforms/telegram';
import { until } from '@latchkey/test-kit';
import { startTracing } from '../../src/tracing/index.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

interface ReceivedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  status?: { code?: number; message?: string };
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
}

/** A collector: accepts OTLP over HTTP, as any collector does. */
async function startCollector() {
  const texts: string[] = [];
  const headers: NodeJS.Dict<string | string[]>[] = [];
  const collector: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method === 'POST' && request.url === '/v1/traces') {
      texts.push(Buffer.concat(chunks).toString());
      headers.push(request.headers);
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const spansOf = (text: string): ReceivedSpan[] =>
    JSON.parse(text).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: ReceivedSpan[] }[] }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    );
  return {
    url: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    texts,
    headers,
    spans: () => texts.flatMap(spansOf),
    stop: () => {
      collector.closeAllConnections();
      collector.close();
    },
  };
}

describe('http: traces and the ids of requests', () => {
  let emulator: TelegramEmulator;
  let server: TestServer;
  let collector: Awaited<ReturnType<typeof startCollector>>;
  before(async () => {
    emulator = await startTelegramEmulator();
    collector = await startCollector();
    server = await startTestServer({
      LATCHKEY_TELEGRAM_BOT_TOKEN: emulator.bot.token,
      LATCHKEY_TELEGRAM_API_URL: emulator.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-key,x-team=a',
    });
  });
  after(async () => {
    await server.close();
    await emulator.stop();
    collector.stop();
  });

  /** A user writes to the bot, and a job replies. */
  async function writeToBot(requestId: string, updateId: number): Promise<number> {
    const ann = emulator.createUser('Ann').id;
    const { id: message_id } = emulator.speakToBot(ann, '/connect');
    const from = { id: ann, is_bot: false, first_name: 'Ann' };
    const message = {
      message_id,
      date: 1,
      chat: { id: ann, type: 'private', first_name: 'Ann' },
      from,
      text: '/connect',
    };
    const { status } = await server.request('POST', telegramRoute.path, {
      headers: {
        'content-type': 'application/json',
        [telegramRoute.secretHeader]: webhookSecret(emulator.bot.token),
        'x-request-id': requestId,
        // An untrusted caller cannot choose the trace.
        traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      },
      body: JSON.stringify({ update_id: updateId, message }),
    });
    assert.equal(status, 200);
    return ann;
  }

  test('one trace links a request, its statements, its job and the call that the job makes', async () => {
    const tracing = await startTracing(server.config.traces, 'server', server.log.for('traces'));
    const ann = await writeToBot('request-traced', 1);
    await until('the bot has answered', () =>
      emulator.sentMessages(ann).some(({ from }) => from.id === emulator.bot.user.id),
    );
    const key = { 'x-api-key': server.adminKey };
    assert.equal((await server.request('GET', '/latchkey/operator/health', { headers: key })).status, 200);
    await server.worker.idle();
    await tracing?.stop();
    const spans = collector.spans();
    const post = spans.find(({ name }) => name === `POST ${telegramRoute.path}`);
    assert.ok(post);
    assert.equal(post.parentSpanId, undefined);
    assert.notEqual(post.traceId, 'a'.repeat(32));
    const ofTrace = spans.filter(({ traceId }) => traceId === post.traceId);
    const named = (name: string | RegExp) =>
      ofTrace.filter((span) => (typeof name === 'string' ? span.name === name : name.test(span.name)));
    assert.ok(named('insert telegram_updates').length >= 1);
    const [transaction] = named('transaction');
    assert.equal(transaction?.parentSpanId, post.spanId);
    const [job] = named('job telegram.answer-command');
    assert.equal(job?.parentSpanId, transaction?.spanId, 'the job continues the transaction that enqueued it');
    assert.ok(named(/^POST 127\.0\.0\.1/).some(({ parentSpanId }) => parentSpanId === job?.spanId));
    const health = spans.find(({ name }) => name === 'checkHealth');
    assert.equal(spans.find(({ spanId }) => spanId === health?.parentSpanId)?.name, 'GET /latchkey/operator/health');
    const ids = new Set(spans.map(({ spanId }) => spanId));
    assert.ok(spans.every(({ parentSpanId }) => parentSpanId === undefined || ids.has(parentSpanId)));
    assert.deepEqual(
      [collector.headers[0]?.authorization, collector.headers[0]?.['x-team']],
      ['Bearer collector-key', 'a'],
    );
    for (const secret of [
      emulator.bot.token,
      webhookSecret(emulator.bot.token),
      server.adminKey,
      '/connect',
      'collector-key',
    ])
      assert.ok(
        collector.texts.every((text) => !text.includes(secret)),
        'no secret and no user text is sent',
      );
  });

  test('without traces nothing is sent, and a job still logs the id of its request', async () => {
    assert.equal(await startTracing({ ...server.config.traces, url: undefined }, 'server', server.log), undefined);
    const sent = collector.texts.length;
    const end = emulator.misbehave({ kind: 'error', on: 'sendMessage', status: 502, count: 1 });
    await writeToBot('request-logged', 2);
    const ofJob = () => server.logLines.filter((line) => line.includes('telegram.answer-command'));
    await until('the job has failed', () => ofJob().some((line) => JSON.parse(line).requestId === 'request-logged'));
    end();
    const schedule = server.logLines
      .map((line) => JSON.parse(line))
      .filter(({ kind }) => kind === 'states.remove-expired');
    assert.ok(schedule.every(({ requestId }) => requestId === undefined));
    assert.equal(collector.texts.length, sent);
  });

  test('an unavailable collector is reported once, and holds up nothing', async () => {
    const tracing = await startTracing({ ...server.config.traces, url: 'http://127.0.0.1:1' }, 'server', server.log);
    for (let requested = 0; requested < 3; requested += 1)
      assert.equal((await server.request('GET', '/ping')).status, 200);
    await tracing?.stop();
    await until('it is reported', () => server.logLines.some((line) => line.includes('does not accept traces')));
    assert.ok(server.logLines.filter((line) => line.includes('does not accept traces')).length <= 1);
  });
});
