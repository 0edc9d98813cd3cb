import { errorCodes, type Operation } from '@latchkey/kernel';
import { isMounted } from './served.ts';
import type { TestAnswer } from './test-server.ts';

const shape: Readonly<Record<string, string>> = {
  statusCode: 'number',
  name: 'string',
  message: 'string',
  code: 'string',
};

/** Returns what is wrong with an error response; empty if it has the shape of every error. */
export function errorShapeProblems(status: number, contentType: string, text: string): string[] {
  if (!contentType.startsWith('application/json')) return [`an error of type "${contentType}"`];
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return ['an error that is not JSON'];
  }
  const { error, ...rest } = (body ?? {}) as { error?: Record<string, unknown> };
  if (typeof error !== 'object' || error === null || Object.keys(rest).length > 0) return ['an error of another shape'];
  const info = errorCodes[error.code as keyof typeof errorCodes];
  if (info === undefined) return [`the unknown code ${String(error.code)}`];
  return [
    ...Object.entries(shape).flatMap(([name, type]) =>
      typeof error[name] === type ? [] : [`${name} is ${typeof error[name]}`],
    ),
    ...Object.keys(error).flatMap((name) => (name in shape || name === 'details' ? [] : [`a field ${name} too many`])),
    ...(error.statusCode === status ? [] : [`status ${status}, but statusCode ${String(error.statusCode)}`]),
    ...(info.status === status ? [] : [`status ${status} for ${String(error.code)}`]),
    ...(info.name === error.name ? [] : [`the name ${String(error.name)} for ${String(error.code)}`]),
    ...(/\S.*[.!?]$/s.test(String(error.message)) ? [] : [`no sentence for a message: ${String(error.message)}`]),
  ];
}

/** The error codes of RFC 6749, 7009 and 7662, and those of OpenID Connect that can occur here. */
const protocolErrors = [
  'access_denied',
  'invalid_client',
  'invalid_grant',
  'invalid_redirect_uri',
  'invalid_request',
  'invalid_request_object',
  'invalid_request_uri',
  'invalid_scope',
  'invalid_target',
  'request_not_supported',
  'request_uri_not_supported',
  'registration_not_supported',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_mode',
  'unsupported_response_type',
  'unsupported_token_type',
];

/** Returns what is wrong with an error response of the OAuth2 provider; empty if it has the format of RFC 6749. */
export function protocolShapeProblems(contentType: string, text: string): string[] {
  if (!contentType.startsWith('application/json')) return [`an error of type "${contentType}"`];
  const { error, error_description: words, scope: _requested, state: _sent, iss: _us, ...rest } = readObject(text);
  return [
    ...(protocolErrors.includes(String(error)) ? [] : [`the unknown error ${String(error)}`]),
    ...(words === undefined || /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/.test(String(words)) ? [] : [`the words ${words}`]),
    ...Object.keys(rest).map((name) => `a field ${name} too many`),
  ];
}

/** Returns what is wrong with an error response of an operation, which may come from the OAuth2 provider. */
export function operationErrorProblems(
  operation: Pick<Operation, 'contract'> | undefined,
  status: number,
  contentType: string,
  text: string,
): string[] {
  const isProtocol = operation !== undefined && isMounted(operation) && typeof readObject(text).error === 'string';
  return isProtocol ? protocolShapeProblems(contentType, text) : errorShapeProblems(status, contentType, text);
}

export function answerShapeProblems(operation: Operation, { status, headers, text }: TestAnswer): string[] {
  return operationErrorProblems(operation, status, headers.get('content-type') ?? '', text);
}

function readObject(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Returns the code of an error response, if it has one. */
export function codeOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: string | { code?: string } };
    return typeof error === 'string' ? error : error?.code;
  } catch {
    return undefined;
  }
}
