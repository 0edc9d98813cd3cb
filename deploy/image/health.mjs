// Whether the process of this container runs, for the engine. A process whose database is away is not to be restarted for
// it, so this asks for life and not for readiness.
const port = process.env.LATCHKEY_METRICS_PORT ?? '9464';
const host = process.env.LATCHKEY_METRICS_HOST ?? '127.0.0.1';
const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;

try {
  const { ok } = await fetch(`http://${name}:${port}/health/live`, { signal: AbortSignal.timeout(4_000) });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
