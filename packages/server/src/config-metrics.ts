import { listenHost, number, optionalNumber, secret, url } from './config-kinds.ts';

/** The variables for monitoring a process. */
export const metricsVariables = {
  LATCHKEY_METRICS_PORT: optionalNumber(
    'A separate port for this process’s GET /health/live, GET /health/ready and GET /metrics, on a server, worker or signer. Without it, only servers have them, on their usual port.',
    0,
    65_535,
  ),
  LATCHKEY_METRICS_HOST: listenHost('The address that port listens on.', '127.0.0.1'),
  LATCHKEY_METRICS_TOKEN: secret('The Bearer token that GET /metrics requires on that port. Defaults to none.', {
    form: /^[!-~]{8,1024}$/,
    expected: 'at least 8 characters without spaces, for example from openssl rand -hex 32',
  }),
  LATCHKEY_EXPECTED_WORKERS: optionalNumber(
    'How many workers should run. With it, an alert fires while fewer do; set it on every server and worker.',
    1,
    10_000,
  ),
  LATCHKEY_EXPECTED_REPLICAS: optionalNumber(
    'How many replicas the database should have. With it, an alert fires while fewer receive its log; set it on every server and worker.',
    1,
    100,
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(
    'The collector to send traces to, as OTLP over HTTP with JSON, for example http://localhost:4318. Without it, nothing is traced.',
    ['http:', 'https:'],
  ),
  OTEL_EXPORTER_OTLP_HEADERS: secret('Headers for the collector as name=value, separated by commas.', {
    form: /^\s*[\w-]+=[^,]*(?:,\s*[\w-]+=[^,]*)*$/,
    expected: 'headers as name=value, separated by commas',
  }),
  LATCHKEY_TRACE_PERCENT: number('The percentage of requests and scheduled jobs to trace.', 100, 0, 100),
};

type Values = {
  [Name in keyof typeof metricsVariables]: ReturnType<(typeof metricsVariables)[Name]['read']>;
};

export function shapeMetrics(values: Values) {
  return {
    metrics: {
      port: values.LATCHKEY_METRICS_PORT,
      host: values.LATCHKEY_METRICS_HOST ?? '127.0.0.1',
      token: values.LATCHKEY_METRICS_TOKEN,
    },
    expectedWorkers: values.LATCHKEY_EXPECTED_WORKERS,
    expectedReplicas: values.LATCHKEY_EXPECTED_REPLICAS,
    traces: {
      url: values.OTEL_EXPORTER_OTLP_ENDPOINT,
      headers: values.OTEL_EXPORTER_OTLP_HEADERS,
      share: values.LATCHKEY_TRACE_PERCENT / 100,
    },
  };
}
