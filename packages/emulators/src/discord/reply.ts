/** An HTTP response, before it is sent. */
export interface Reply {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

const jsonHeaders = { 'content-type': 'application/json' };

export function json(status: number, body: unknown, headers?: Readonly<Record<string, string>>): Reply {
  return {
    status,
    headers: headers === undefined ? jsonHeaders : { ...jsonHeaders, ...headers },
    body: JSON.stringify(body),
  };
}

export const ok = (body: unknown): Reply => json(200, body);
export const created = (body: unknown): Reply => json(201, body);
export const noContent: Reply = { status: 204 };
