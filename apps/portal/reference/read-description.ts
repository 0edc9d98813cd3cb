import { isObject } from '../src/is-object.ts';
import type { ApiDocument } from './openapi.ts';

/** Parses a server's response as an API description; undefined if it is not one. */
export function readDescription(value: unknown): ApiDocument | undefined {
  if (!isObject(value) || !isObject(value.info) || typeof value.info.version !== 'string' || !isObject(value.paths))
    return undefined;
  const components = isObject(value.components) ? value.components : {};
  return asDocument({
    ...value,
    tags: Array.isArray(value.tags) ? value.tags.filter(isObject) : [],
    paths: mapRecord(value.paths, (methods) => (isObject(methods) ? filterRecord(methods, isOperation) : {})),
    components: {
      schemas: isObject(components.schemas) ? filterRecord(components.schemas, isObject) : {},
      securitySchemes: {},
    },
  });
}

// The parts that the reference reads have been checked above; the rest is not used.
function asDocument(value: object): ApiDocument {
  return value as ApiDocument;
}

function isOperation(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.operationId === 'string' &&
    isObject(value.responses) &&
    (value.parameters === undefined || (Array.isArray(value.parameters) && value.parameters.every(isObject)))
  );
}

function mapRecord(record: Record<string, unknown>, change: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

function filterRecord(record: Record<string, unknown>, isWanted: (value: unknown) => boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => isWanted(value)));
}
