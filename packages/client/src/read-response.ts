import { ApiError, type ApiErrorBody } from './api-error.ts';

/** What a response holds: JSON, a text, bytes, where a redirect leads, or nothing. A refusal is thrown. */
export async function readResponse(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  if (response.status === 302) return { location: response.headers.get('location') };
  if (!response.ok) throw await readRefusal(response);
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) return response.json();
  return type.startsWith('text/') ? response.text() : new Uint8Array(await response.arrayBuffer());
}

export async function readRefusal(response: Response): Promise<ApiError> {
  const { headers } = response;
  const error =
    response.type === 'opaqueredirect'
      ? { message: 'The server redirects, and browsers do not let pages see where to.' }
      : readError(await response.json().catch(() => undefined));
  return new ApiError(response.status, error, headers.get('retry-after'), headers.get('x-request-id'));
}

/** The API's own shape, or that of OAuth (RFC 6749, section 5.2), or what a proxy says, which is neither. */
function readError(answer: unknown): ApiErrorBody {
  if (!isObject(answer)) return {};
  const { error, error_description: description } = answer;
  if (typeof error === 'string') return { code: error, message: typeof description === 'string' ? description : error };
  if (!isObject(error)) return {};
  const { message, code, details } = error;
  return {
    ...(typeof message === 'string' && { message }),
    ...(typeof code === 'string' && { code }),
    ...(details !== undefined && { details }),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
