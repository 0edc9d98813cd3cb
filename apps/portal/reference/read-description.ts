import type { ApiDocument } from './openapi.ts';

/** Parses a server's response as an API description; undefined if it is not one. */
export function readDescription(value: unknown): ApiDocument | undefined {
  if (!isRecord(value) || !isRecord(value.info) || typeof value.info.version !== 'string' || !isRecord(value.paths))
    return undefined;
  const components = isRecord(value.components) ? value.components : {};
  return asDocument({
    ...value,
    tags: Array.isArray(value.tags) ? value.tags.filter(isRecord) : [],
    paths: mapRecord(value.paths, (methods) => (isRecord(methods) ? filterRecord(methods, isOperation) : {})),
    components: {
      schemas: isRecord(components.schemas) ? filterRecord(components.schemas, isRecord) : {},
      responses: {},
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
    isRecord(value) &&
    typeof value.operationId === 'string' &&
    isRecord(value.responses) &&
    (value.parameters === undefined || (Array.isArray(value.parameters) && value.parameters.every(isRecord)))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapRecord(record: Record<string, unknown>, change: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

function filterRecord(record: Record<string, unknown>, isWanted: (value: unknown) => boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => isWanted(value)));
}
