import { errorCodes } from '@latchkey/kernel';

const shape: Readonly<Record<string, string>> = {
  statusCode: 'number',
  name: 'string',
  message: 'string',
  code: 'string',
};

/** What is wrong with an error answer; empty when it has the one shape that every error has. */
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

/** The code of an error answer, if it has one. */
export function codeOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error?: { code?: string } }).error?.code;
  } catch {
    return undefined;
  }
}
