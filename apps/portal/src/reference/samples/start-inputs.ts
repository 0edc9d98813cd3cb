import type { OperationModel, ParameterRow } from '../../../reference/model.ts';
import { isObject } from '../../is-object.ts';
import { type Inputs, isForm, keyOf } from '../try-it/prepare.ts';

/** What recorded calls contain in place of a secret. */
const hidden = '…';

/** Returns the recorded call of an operation, as a reader would type it. Secrets are replaced by their names. */
export function startInputs(operation: OperationModel): Inputs {
  const { example, body, parameters } = operation;
  if (example === undefined) return { parameters: {}, form: {}, json: body === undefined ? '' : jsonOf(body.example) };
  const { request } = example;
  const inPath = valuesInPath(operation.path, request.path);
  const given = (parameter: ParameterRow) =>
    ({ path: inPath, query: request.query, header: request.headers })[parameter.in]?.[parameter.name];
  const values = parameters.flatMap((parameter) => {
    const value = given(parameter);
    return value === undefined ? [] : [[keyOf(parameter), String(shown(value, parameter.name))]];
  });
  const isOfFields = isForm(operation) && isObject(request.body);
  const form = isOfFields ? Object.entries(isObject(request.body) ? request.body : {}) : [];
  return {
    parameters: Object.fromEntries(values),
    form: Object.fromEntries(form.map(([name, value]) => [name, String(shown(value, name))])),
    json: isOfFields || body === undefined ? '' : jsonOf(shown(request.body, '')),
  };
}

function jsonOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, undefined, 2);
}

function valuesInPath(template: string, path: string): Record<string, string> {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const escaped = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  const found = new RegExp(`^${escaped.replace(/\{\w+\}/g, '([^/]*)')}$`).exec(path);
  return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(found?.[index + 1] ?? '')]));
}

function shown(value: unknown, name: string): unknown {
  if (value === hidden) return `YOUR_${name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}`;
  if (Array.isArray(value)) return value.map((item) => shown(item, name));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, shown(field, key)]));
}
