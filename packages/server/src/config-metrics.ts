import { number, optionalNumber, plainText, text, url } from './config-kinds.ts';

/** The variables about watching a process. */
export const metricsVariables = {
  LATCHKEY_METRICS_PORT: optionalNumber(
    'A port of its own for GET /health/live, GET /health/ready and GET /metrics of this process: server, worker or signer. Without it only servers have them, on their usual port.',
    0,
    65_535,
  ),
  LATCHKEY_METRICS_HOST: plainText('The address that port is opened on.', '127.0.0.1'),
  LATCHKEY_METRICS_TOKEN: text('The Bearer token that GET /metrics asks for on that port. Without it: none.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(
    'Where traces are sent, as OTLP over HTTP with JSON: the address of a collector, for example http://localhost:4318. Without it there are none.',
    ['http:', 'https:'],
  ),
  OTEL_EXPORTER_OTLP_HEADERS: text('Headers for the collector as name=value, separated by commas.'),
  LATCHKEY_TRACE_PERCENT: number('How many percent of requests and scheduled jobs are traced.', 100, 0, 100),
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
    traces: {
      url: values.OTEL_EXPORTER_OTLP_ENDPOINT,
      headers: values.OTEL_EXPORTER_OTLP_HEADERS,
      share: values.LATCHKEY_TRACE_PERCENT / 100,
    },
  };
}
