import { optionalNumber, plainText, text } from './config-kinds.ts';

/** The variables about watching a process. */
export const metricsVariables = {
  LATCHKEY_METRICS_PORT: optionalNumber(
    'A port of its own for GET /health/live, GET /health/ready and GET /metrics of this process: server, worker or signer. Without it only servers have them, on their usual port.',
    0,
    65_535,
  ),
  LATCHKEY_METRICS_HOST: plainText('The address that port is opened on.', '127.0.0.1'),
  LATCHKEY_METRICS_TOKEN: text('The Bearer token that GET /metrics asks for on that port. Without it: none.'),
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
  };
}
