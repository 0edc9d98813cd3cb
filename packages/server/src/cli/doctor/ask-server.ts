import { fetchTo } from '../../egress/index.ts';

interface ServerAnswer {
  status: number;
  location: string | undefined;
  allowedOrigin: string | undefined;
  json: Record<string, unknown>;
}

const patienceMs = 10_000;

/** Calls the running server as an external client would, without following redirects. */
export async function askServer(serverUrl: string, path: string, init: RequestInit = {}): Promise<ServerAnswer> {
  const signal = AbortSignal.timeout(patienceMs);
  const response = await fetchTo([serverUrl])(`${serverUrl}${path}`, { ...init, redirect: 'manual', signal });
  const text = await response.text();
  return {
    status: response.status,
    location: response.headers.get('location') ?? undefined,
    allowedOrigin: response.headers.get('access-control-allow-origin') ?? undefined,
    json: readObject(text),
  };
}

function readObject(text: string): Record<string, unknown> {
  try {
    return { ...Object(JSON.parse(text)) };
  } catch {
    return {};
  }
}
