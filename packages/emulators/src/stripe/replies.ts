import type { EmulatorReply } from '../http-emulator/index.ts';

export function missing(what: string, id: string | null | undefined, param = 'id'): EmulatorReply {
  return refuse(404, `No such ${what}: '${id}'`, param, 'resource_missing');
}

export function invalid(message: string, param?: string, code?: string): EmulatorReply {
  return refuse(400, message, param, code);
}

export function refuse(
  status: number,
  message: string,
  param?: string,
  code?: string,
  type = 'invalid_request_error',
): EmulatorReply {
  return { status, body: { error: { type, message, ...(param && { param }), ...(code && { code }) } } };
}

export function listOf(data: readonly unknown[], url: string): EmulatorReply {
  return { body: { object: 'list', data, has_more: false, url } };
}

export function fieldsUnder(form: URLSearchParams, name: string): Record<string, string> {
  const prefix = `${name}[`;
  return Object.fromEntries(
    [...form].flatMap(([field, value]) => (field.startsWith(prefix) ? [[field.slice(prefix.length, -1), value]] : [])),
  );
}
