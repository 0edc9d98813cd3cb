/** The parts of an OpenAPI 3.1 document that the reference reads. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  default?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  additionalProperties?: Schema | boolean;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema?: Schema;
}

export interface Described {
  tags?: string[];
  operationId: string;
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema?: Schema }> };
  responses: Record<string, { $ref?: string; description?: string; content?: Record<string, { schema?: Schema }> }>;
  security?: Record<string, string[]>[];
  'x-credentials'?: string[];
  'x-error-statuses'?: number[];
  'x-resource'?: string;
  'x-idempotency-key'?: boolean;
}

export interface SecurityScheme {
  type: string;
  in?: string;
  name?: string;
  description?: string;
  flows?: Record<string, { scopes?: Record<string, string> }>;
}

export interface ApiDocument {
  info: { title: string; version: string; description?: string };
  servers?: { url: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, Described>>;
  components: {
    schemas: Record<string, Schema>;
    securitySchemes: Record<string, SecurityScheme>;
  };
}

/** Every operation with its method and path, in the order of the document. */
export function listOperations(document: ApiDocument): { method: string; path: string; described: Described }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ method: method.toUpperCase(), path, described })),
  );
}

/** Returns the resource of an operation. Its tag is the name that existing clients use. */
export function resourceOf(described: Described): string {
  return described['x-resource'] ?? described.tags?.[0] ?? 'other';
}
