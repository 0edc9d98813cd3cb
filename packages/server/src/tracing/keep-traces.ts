import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type BeginSpan, openInner, runFrom, type Span, type SpanFacts, switchTracesOn } from '@latchkey/db/origin';
import type { Log } from '@latchkey/kernel';
import {
  type Context,
  isSpanContextValid,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { systemClock } from '../clock.ts';
import { agentTo } from '../egress/index.ts';
import { latchkeyVersion } from '../version.ts';

interface TraceOptions {
  url: string;
  headers: string | undefined;
  share: number;
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
  consumer: SpanKind.CONSUMER,
};
/** How long an exiting process waits for a collector that does not respond. */
const farewellMs = 2_000;

/** Sends this process's traces to a collector. */
export function keepTraces({ url, headers, share }: TraceOptions, kind: string, log: Log): { stop(): Promise<void> } {
  const exporter = new OTLPTraceExporter({
    url: `${url}/v1/traces`,
    headers: readHeaders(headers ?? ''),
    httpAgentOptions: () => agentTo(url),
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'latchkey',
      'service.version': latchkeyVersion,
      'latchkey.process': kind,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: reportFailures(exporter, log) })],
    spanLimits: { attributeValueLengthLimit: 256 },
  });
  const tracer = provider.getTracer('latchkey');
  const beginSpan: BeginSpan = ({ name, kind: ofKind, facts = {}, startedMsAgo }, parent) => {
    const startTime = startedMsAgo === undefined ? {} : { startTime: systemClock().getTime() - startedMsAgo };
    const options = { kind: kinds[ofKind], attributes: facts, ...startTime };
    return new KeptSpan(tracer.startSpan(name, options, contextOf(parent)));
  };
  const switchOff = switchTracesOn(beginSpan);
  const stopCalls = traceCalls();
  return {
    stop: async () => {
      switchOff();
      stopCalls();
      const patience = AbortSignal.timeout(farewellMs);
      const enough = new Promise((resolve) => patience.addEventListener('abort', resolve, { once: true }));
      await Promise.race([provider.shutdown().catch(() => undefined), enough]);
    },
  };
}

class KeptSpan implements Span {
  readonly inner: OtelSpan;
  readonly traceParent: string;
  readonly isKept: boolean;

  constructor(inner: OtelSpan) {
    const { traceId, spanId, traceFlags } = inner.spanContext();
    this.inner = inner;
    this.isKept = (traceFlags & TraceFlags.SAMPLED) !== 0;
    this.traceParent = `00-${traceId}-${spanId}-${this.isKept ? '01' : '00'}`;
  }

  set(facts: SpanFacts): void {
    this.inner.setAttributes(facts);
  }

  /** Records only the kind of an error: its message may contain user input. */
  end(error?: unknown): void {
    if (error !== undefined) {
      const type = error instanceof Error ? error.name : 'unknown';
      this.inner.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type);
    }
    this.inner.end();
  }
}

function contextOf(parent: Span | string | undefined): Context {
  if (parent instanceof KeptSpan) return trace.setSpan(ROOT_CONTEXT, parent.inner);
  const written = typeof parent === 'string' ? parent : (parent?.traceParent ?? '');
  const [, traceId = '', spanId = '', flags = '00'] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(written) ?? [];
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? trace.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT;
}

/** Logs when the collector does not accept spans, once per outage. Its own requests are not traced. */
function reportFailures(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export: (spans, done) =>
      runFrom(undefined, () =>
        exporter.export(spans, (result) => {
          const failed = result.code !== 0;
          if (failed && !isFailing)
            log.warn('The collector does not accept traces. Check OTEL_EXPORTER_OTLP_ENDPOINT.', {
              reason: result.error?.name ?? 'unknown',
            });
          else if (!failed && isFailing) log.info('The collector accepts traces again.');
          isFailing = failed;
          done(result);
        }),
      ),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

function readHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => pair.split('='));
  return Object.fromEntries(
    pairs
      .filter(([name = '']) => name.trim() !== '')
      .map(([name = '', ...value]) => [name.trim(), decode(value.join('='))]),
  );
}

/** Values are percent-encoded, as specified by OpenTelemetry. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value.trim());
  } catch {
    return value.trim();
  }
}

/** The diagnostics that Node.js publishes about its HTTP clients: `fetch` and undici, and `node:http`. */
type ChannelMessage = Readonly<Record<string, unknown>>;

/**
 * Adds outgoing calls to the current trace: method, the end of the host name and status. Paths and headers may contain
 * tokens, so they are left out. Returns a function that stops it.
 */
function traceCalls(): () => void {
  const spans = new WeakMap<object, Span>();
  const begin = (request: unknown, host: string) => {
    const method = String(Object(request).method ?? 'GET');
    const facts = { 'http.request.method': method, 'server.address': endOf(host) };
    const span = openInner(() => ({ name: `${method} ${endOf(host)}`, kind: 'client', facts }));
    if (span !== undefined) spans.set(Object(request), span);
  };
  const answered = ({ request, response }: ChannelMessage) => {
    const status = Number(Object(response).statusCode ?? 0);
    const span = spans.get(Object(request));
    span?.set({ 'http.response.status_code': status });
    finish(request, status >= 400 ? new Error(`${status}`) : undefined);
  };
  const failed = ({ request }: ChannelMessage) => finish(request, new Error('The call failed.'));
  function finish(request: unknown, error?: Error): void {
    const span = spans.get(Object(request));
    spans.delete(Object(request));
    span?.end(error);
  }
  const channels: Readonly<Record<string, (report: ChannelMessage) => void>> = {
    'undici:request:create': ({ request }) => begin(request, hostOf(String(Object(request).origin))),
    'undici:request:headers': answered,
    'undici:request:error': failed,
    'http.client.request.start': ({ request }) => begin(request, String(Object(request).host)),
    'http.client.response.finish': answered,
    'http.client.request.error': failed,
  };
  const listeners = Object.entries(channels).map(([name, hear]) => {
    const listener = (report: unknown) => hear(Object(report));
    subscribe(name, listener);
    return () => void unsubscribe(name, listener);
  });
  return () => {
    for (const stop of listeners) stop();
  };
}

function hostOf(origin: string): string {
  return URL.parse(origin)?.hostname ?? 'unknown';
}

/** Subdomains may reveal whose service it is. */
function endOf(host: string): string {
  return /^[\d.]+$|^\[|:/.test(host) ? host : host.split('.').slice(-2).join('.');
}
